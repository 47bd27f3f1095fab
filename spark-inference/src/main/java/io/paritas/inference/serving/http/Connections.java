/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import io.netty.channel.Channel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The connections of a server, at most so many. Another one takes the place of that which has been without a request for longest: who
 * sends none must not keep others out. Thread-safe.
 */
final class Connections {
    private final int most;
    private final ChannelGroup all = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    /* Those without a request, the longest first. */
    private final Set<Channel> idle = new LinkedHashSet<>();

    Connections(int most) {
        this.most = most;
    }

    /** Takes a new connection, which is idle; false if there are too many, and all others have requests. */
    synchronized boolean add(Channel channel) {
        Iterator<Channel> longest = idle.iterator();
        if (all.size() >= most) {
            if (!longest.hasNext()) {
                return false;
            }
            Channel gone = longest.next();
            longest.remove();
            all.remove(gone);
            var unused = gone.close();
        }
        all.add(channel);
        idle.add(channel);
        var unused = channel.closeFuture().addListener(done -> works(channel));
        return true;
    }

    /** A connection has a request, and is kept until that is answered. */
    synchronized void works(Channel channel) {
        idle.remove(channel);
    }

    /** A connection has no request any more. */
    synchronized void waits(Channel channel) {
        if (all.contains(channel)) { // not closed meanwhile
            idle.add(channel);
        }
    }

    /** Ends all. */
    void close() {
        all.close().awaitUninterruptibly();
    }
}
