/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.grpc;

import io.netty.channel.Channel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A listener that closes connections at once while there are so many: gRPC itself takes any number. */
final class BoundedListener extends NioServerSocketChannel {
    private final int most;
    private final AtomicInteger open = new AtomicInteger();

    BoundedListener(int most) {
        this.most = most;
    }

    @Override
    protected int doReadMessages(List<Object> accepted) throws Exception {
        int before = accepted.size();
        int count = super.doReadMessages(accepted);
        if (accepted.size() == before) {
            return count;
        }
        Channel connection = (Channel) accepted.get(before);
        if (open.incrementAndGet() > most) {
            open.decrementAndGet();
            accepted.remove(before);
            connection.unsafe().closeForcibly();
            return 0;
        }
        var unused = connection.closeFuture().addListener(done -> open.decrementAndGet());
        return count;
    }
}
