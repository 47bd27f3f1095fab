/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.grpc;

import io.grpc.Attributes;
import io.grpc.Grpc;
import io.netty.channel.Channel;
import io.paritas.inference.serving.protocol.Connections;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The connections of a server, and how many admitted calls each has: one with none is idle. Thread-safe. */
final class Callers {
    private final Connections connections;
    /* gRPC says of the connection of a call its addresses only. */
    private final Map<Ends, Channel> channels = new HashMap<>();
    private final Map<Channel, Integer> calls = new HashMap<>();

    private record Ends(SocketAddress remote, SocketAddress local) {}

    Callers(Connections connections) {
        this.connections = connections;
    }

    /** Takes a new, registered connection; false if there are too many, and all others have calls. */
    synchronized boolean add(Channel channel) {
        if (!connections.add(channel)) {
            return false;
        }
        Ends ends = new Ends(channel.remoteAddress(), channel.localAddress());
        channels.put(ends, channel);
        var unused = channel.closeFuture().addListener(done -> gone(ends, channel));
        return true;
    }

    private synchronized void gone(Ends ends, Channel channel) {
        channels.remove(ends, channel);
        calls.remove(channel);
    }

    /**
     * A call is admitted.
     *
     * @return the connection that has it, for {@link #ends}; empty if that is closed
     */
    synchronized Optional<Channel> begins(Attributes call) {
        Ends ends = new Ends(call.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR), call.get(Grpc.TRANSPORT_ATTR_LOCAL_ADDR));
        Optional<Channel> caller = Optional.ofNullable(channels.get(ends));
        caller.ifPresent(channel -> {
            calls.merge(channel, 1, Integer::sum);
            connections.works(channel);
        });
        return caller;
    }

    /** A call is answered or cancelled. */
    synchronized void ends(Channel caller) {
        if (calls.computeIfPresent(caller, (same, count) -> count == 1 ? null : count - 1) == null) {
            connections.waits(caller);
        }
    }
}
