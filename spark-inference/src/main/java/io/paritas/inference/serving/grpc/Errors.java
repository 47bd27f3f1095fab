/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.grpc;

import io.grpc.Status;
import io.paritas.inference.serving.RejectedException;
import io.paritas.inference.serving.UnknownModelException;
import io.paritas.inference.serving.protocol.ErrorText;
import io.paritas.inference.serving.protocol.RequestLog;
import io.paritas.inference.serving.protocol.UnavailableException;
import java.util.concurrent.CompletionException;

/** What clients are told of errors. */
final class Errors {
    private Errors() {}

    /** The status of an error of a front end; {@link Status#INTERNAL} for a fault of this server, which is logged. */
    static Status of(Throwable thrown) {
        Throwable failure = thrown instanceof CompletionException ? thrown.getCause() : thrown;
        Status.Code code;
        if (failure instanceof UnknownModelException) {
            code = Status.Code.NOT_FOUND;
        } else if (failure instanceof RejectedException) {
            code = Status.Code.UNAVAILABLE;
        } else if (failure instanceof UnavailableException) {
            code = Status.Code.DEADLINE_EXCEEDED;
        } else if (failure instanceof IllegalArgumentException) {
            code = Status.Code.INVALID_ARGUMENT;
        } else {
            RequestLog.fault(failure);
            return Status.INTERNAL.withDescription(
                    ErrorText.of("this server has a fault, which its log describes: " + failure));
        }
        return code.toStatus().withDescription(ErrorText.of(failure.getMessage()));
    }
}
