/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.flow.FlowControlHandler;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.protocol.BodyMemory;
import io.paritas.inference.serving.protocol.Connections;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ConnectionTest {
    /** Counts how often the socket would be read. */
    private static final class Reads extends ChannelOutboundHandlerAdapter {
        private int count;

        @Override
        public void read(ChannelHandlerContext context) {
            count++;
            context.read();
        }
    }

    /** To read on at each of them would take in requests faster than they are answered. */
    @Test
    void readsAheadOnlyWhenNoRequestWaits() throws Exception {
        try (FrontEnd frontEnd = new FrontEnd()) {
            Routes routes = new Routes(frontEnd, HttpOptions.DEFAULT, Optional.empty());
            Connections connections = new Connections(1);
            Reads reads = new Reads();
            EmbeddedChannel channel = channel(reads, routes, connections);
            assertThat(reads.count).isEqualTo(1);

            String live = "GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";
            channel.writeInbound(Unpooled.copiedBuffer(live.repeat(10), StandardCharsets.US_ASCII));

            assertThat(channel.outboundMessages()).hasSize(10);
            assertThat(reads.count).as("at first, and after the last answer").isEqualTo(2);
            channel.releaseOutbound();
            var unused = channel.finishAndReleaseAll();
        }
    }

    /** It was idle for others: it made room for them amid the body, and the body had a minute. */
    @Test
    void aConnectionThatHasBegunToReadTheNextRequestIsNotIdle() throws Exception {
        try (FrontEnd frontEnd = new FrontEnd()) {
            Routes routes = new Routes(frontEnd, HttpOptions.DEFAULT, Optional.empty());
            Connections connections = new Connections(1);
            EmbeddedChannel channel = channel(new Reads(), routes, connections);
            channel.freezeTime();
            assertThat(connections.add(channel)).isTrue();

            channel.writeInbound(Unpooled.copiedBuffer(
                    "GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"
                            + "POST /v2/models/m/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{",
                    StandardCharsets.US_ASCII));
            assertThat(channel.outboundMessages()).hasSize(1);

            assertThat(connections.add(new EmbeddedChannel())).isFalse();
            channel.advanceTimeBy(9_999, TimeUnit.MILLISECONDS);
            channel.runScheduledPendingTasks();
            assertThat(channel.isOpen()).isTrue();
            channel.advanceTimeBy(1, TimeUnit.MILLISECONDS);
            channel.runScheduledPendingTasks();
            assertThat(channel.isOpen()).as("after 10 s").isFalse();
            channel.releaseOutbound();
            var unused = channel.finishAndReleaseAll();
        }
    }

    private static EmbeddedChannel channel(Reads reads, Routes routes, Connections connections) throws Exception {
        EmbeddedChannel channel = new EmbeddedChannel(false, false);
        channel.config().setAutoRead(false);
        channel.pipeline()
                .addLast(reads)
                .addLast(new RequestTimeout(HttpOptions.Bounds.DEFAULT, connections))
                .addLast(new HttpServerCodec())
                .addLast(new Requests(100, routes, connections, BodyMemory.OF_PROCESS))
                .addLast(new FlowControlHandler())
                .addLast(new Connection(routes, connections));
        channel.register();
        return channel;
    }
}
