/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.protocol;

import io.netty.channel.Channel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The connections of a server, at most so many. Another one takes the place of that which has been without a request for longest: who
 * sends none must not keep others out. Thread-safe.
 */
public final class Connections {
    private final int most;
    private final ChannelGroup all = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    /* Those without a request, the longest first. */
    private final Set<Channel> idle = new LinkedHashSet<>();
    /* Those with a request, each with what is done when that is answered. */
    private final Map<Channel, CompletableFuture<Void>> asked = new HashMap<>();
    private boolean ending;
    private boolean ended;

    /** None, and at most this many later. */
    public Connections(int most) {
        this.most = most;
    }

    /** Takes a new, registered connection, which is idle; false if there are too many, and all others have requests. */
    public synchronized boolean add(Channel channel) {
        Iterator<Channel> longest = idle.iterator();
        if (all.size() >= most) {
            if (!longest.hasNext()) {
                return false;
            }
            Channel gone = longest.next();
            longest.remove();
            all.remove(gone);
            // Without a goodbye, for which who does not read it would stay.
            gone.eventLoop().execute(() -> gone.unsafe().close(gone.voidPromise()));
        }
        all.add(channel);
        idle.add(channel);
        var unused = channel.closeFuture().addListener(done -> gone(channel));
        return true;
    }

    private void gone(Channel channel) {
        works(channel);
        answered(channel);
    }

    /** A request has come as a whole. */
    public synchronized void asked(Channel channel) {
        works(channel);
        if (all.contains(channel)) { // not closed meanwhile
            asked.put(channel, new CompletableFuture<>());
        }
    }

    /** A request is answered, and the connection has another one. */
    public synchronized void answered(Channel channel) {
        CompletableFuture<Void> request = asked.remove(channel);
        if (request != null) {
            request.complete(null);
        }
    }

    /** Done when the requests that there are now are answered, and their answers are sent. */
    public synchronized CompletableFuture<Void> answers() {
        return CompletableFuture.allOf(asked.values().toArray(CompletableFuture<?>[]::new));
    }

    /** A connection has a request, and is kept until that is answered. */
    public synchronized void works(Channel channel) {
        idle.remove(channel);
    }

    /** A connection has no request any more. */
    public synchronized void waits(Channel channel) {
        answered(channel);
        if (all.contains(channel)) { // not closed meanwhile
            idle.add(channel);
        }
    }

    /**
     * From now on each request is the last of its connection: who answers it says so, and closes. Their clients go elsewhere, instead of
     * asking a server that takes nothing more.
     */
    public synchronized void beginToEnd() {
        ending = true;
    }

    /**
     * Connections without a request are closed when this returns.
     *
     * @param grace how long they are kept, because a request may be on its way; less if all connections are closed before
     */
    public void end(Duration grace) throws InterruptedException {
        all.newCloseFuture().await(grace.toMillis());
        List<Channel> left;
        synchronized (this) {
            ended = true;
            left = List.copyOf(idle);
        }
        for (Channel channel : left) {
            var unused = channel.close();
        }
    }

    /** Whether each request is the last of its connection. */
    public synchronized boolean areEnding() {
        return ending;
    }

    /** Whether none is kept for a request that has not come. */
    public synchronized boolean haveEnded() {
        return ended;
    }

    /** Ends all. */
    public void close() {
        all.close().awaitUninterruptibly();
    }
}
