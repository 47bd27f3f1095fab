/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.protocol;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;

/** The threads that read and write the connections of a server. */
public final class ServerThreads {
    private ServerThreads() {}

    /** Daemons whose names begin as given. */
    @SuppressWarnings("deprecation") // what takes its place is not in Netty 4.1, which Spark 4.0 brings
    public static EventLoopGroup of(int number, String name) {
        return new NioEventLoopGroup(number, new DefaultThreadFactory(name, true));
    }
}
