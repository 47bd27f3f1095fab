/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import io.paritas.spark.ecrm.membership.Membership;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.ViewMessage.Save;
import io.paritas.spark.ecrm.protocol.ViewMessage.Saved;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * The driver's part of writing a checkpoint: pauses all servers and has each write its file. Fails with an {@link IOException} if a server
 * cannot write, with an {@link IllegalStateException} if one fails meanwhile.
 */
final class CheckpointOperation {
    private final Save request;
    private final Membership membership;
    private final EventLoop loop;
    private final CompletableFuture<Void> done;
    private final Set<Address> awaited = new LinkedHashSet<>();
    private boolean asked;
    private String failure = "";

    CheckpointOperation(Save request, Membership membership, EventLoop loop, CompletableFuture<Void> done, long now) {
        this.request = request;
        this.membership = membership;
        this.loop = loop;
        this.done = done;
        membership.pause(now);
    }

    boolean isDone() {
        return done.isDone();
    }

    /** Asks servers to write when all are paused, and fails when the pause was interrupted. */
    void proceed() {
        if (membership.isResumed()) {
            done.completeExceptionally(new IllegalStateException(message("a server failed meanwhile")));
        } else if (membership.isPaused() && !asked) {
            asked = true;
            awaited.addAll(membership.view().addresses());
            ask();
        }
    }

    /** Asks the servers that have not answered. */
    void ask() {
        awaited.forEach(server ->
                loop.send(new Envelope(Address.DRIVER, server, membership.view().epoch(), request)));
    }

    /**
     * Takes the answer of a server; ends the pause after the last one. Others are waited for when one has failed, so that
     * nobody writes any more to a checkpoint that is abandoned then.
     */
    void saved(Address from, Saved answer, long now) {
        if (answer.number() == request.number() && awaited.remove(from)) {
            failure = failure.isEmpty() ? answer.failure() : failure;
            if (awaited.isEmpty()) {
                membership.resume(now);
                end();
            }
        }
    }

    /** Who has not answered yet, in words; empty before they were asked. */
    String awaited() {
        return awaited.isEmpty()
                ? ""
                : "Updates wait for the checkpoint in " + request.folder() + ", which servers "
                        + awaited.stream()
                                .map(server -> Integer.toString(server.id()))
                                .collect(Collectors.joining(", "))
                        + " still write: much is written, or the file system is slow or not reached";
    }

    private void end() {
        if (failure.isEmpty()) {
            done.complete(null);
        } else {
            done.completeExceptionally(new IOException(message(failure)));
        }
    }

    private String message(String why) {
        return "cannot write the checkpoint in " + request.folder() + ", earlier ones are unchanged: " + why;
    }
}
