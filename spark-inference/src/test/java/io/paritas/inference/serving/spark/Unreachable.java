/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/** A port that neither accepts nor refuses, as of a host without power or behind a firewall: others have filled its queue. */
final class Unreachable implements AutoCloseable {
    private final ServerSocket port = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final List<SocketChannel> queue = new ArrayList<>();

    Unreachable() throws IOException {
        for (int i = 0; i < 4; i++) {
            SocketChannel channel = SocketChannel.open();
            channel.configureBlocking(false);
            var unused = channel.connect(port.getLocalSocketAddress());
            queue.add(channel);
        }
    }

    int port() {
        return port.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        for (SocketChannel channel : queue) {
            channel.close();
        }
        port.close();
    }
}
