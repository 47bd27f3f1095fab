/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import io.paritas.PublicApi;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Thrown if the device of a model cannot be used any more by this process, as a GPU after some errors. Every later prediction on it
 * fails, too; another process may be able to use it.
 */
@PublicApi
public class DeviceLostException extends ModelException {
    private static final long serialVersionUID = 1;

    /** An exception with the error after which the device was lost. */
    public DeviceLostException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Whether a failure, or one of its causes, is a lost device. */
    public static boolean isCauseOf(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                .anyMatch(DeviceLostException.class::isInstance);
    }
}
