/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.grpc;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.util.List;

/** A listener whose connections are counted, and closed at once if there are too many: gRPC itself takes any number. */
final class BoundedListener extends NioServerSocketChannel {
    private final Callers callers;

    BoundedListener(Callers callers) {
        this.callers = callers;
    }

    @Override
    protected int doReadMessages(List<Object> accepted) throws Exception {
        int before = accepted.size();
        int count = super.doReadMessages(accepted);
        if (accepted.size() > before) {
            Channel connection = (Channel) accepted.get(before);
            connection.pipeline().addLast(new Counted());
        }
        return count;
    }

    /* When it is registered: before, it cannot be closed to make room. */
    private final class Counted extends ChannelInitializer<Channel> {
        @Override
        protected void initChannel(Channel connection) {
            if (!callers.add(connection)) {
                var unused = connection.close();
            }
        }
    }
}
