/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.Message;
import io.paritas.spark.ecrm.protocol.ReadMessage.Parameters;
import io.paritas.spark.ecrm.protocol.ReadMessage.PullRows;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fenced;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OutgoingTest {
    /** 64 MiB: as much as may be on its way to a receiver. */
    private static final Message LONG = new Parameters(4, 5, 0, new float[16 << 20]);

    /** A channel that finds no memory for one of its messages. */
    private static final class Short extends EmbeddedChannel {
        private int left;

        Short(int before) {
            left = before;
        }

        @Override
        public ChannelFuture writeAndFlush(Object message) {
            if (left-- == 0) {
                throw new OutOfMemoryError("Direct buffer memory");
            }
            return super.writeAndFlush(message);
        }
    }

    /** The way to a receiver that has stopped: takes messages and writes none. */
    private static final class Stopped extends ChannelOutboundHandlerAdapter {
        private final List<ChannelPromise> held = new ArrayList<>();

        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            held.add(promise);
        }

        int held() {
            return held.size();
        }

        void goOn() {
            List.copyOf(held).forEach(ChannelPromise::setSuccess);
            held.clear();
        }
    }

    private static void send(Message message, EmbeddedChannel channel) {
        Outgoing.send(new Envelope(Address.server(0, 1), Address.worker(1), 1, message), channel);
    }

    private static int sent(EmbeddedChannel channel) {
        int sent = channel.outboundMessages().size();
        channel.outboundMessages().clear();
        return sent;
    }

    @Test
    void whatCannotBeSentInPartsDoesNotCountAnyMore() {
        Short channel = new Short(2);
        send(LONG, channel);
        assertThatThrownBy(channel::runPendingTasks).hasMessage("Direct buffer memory");
        assertThat(sent(channel)).isEqualTo(2);
        send(new Fenced(1), channel);
        assertThat(sent(channel)).isEqualTo(1);
    }

    @Test
    void whatCannotBeginDoesNotCountAnyMore() {
        Short channel = new Short(0);
        assertThatThrownBy(() -> send(LONG, channel)).hasMessage("Direct buffer memory");
        send(new Fenced(1), channel);
        assertThat(sent(channel)).isEqualTo(1);
    }

    @Test
    void nothingIsSentWhileTooMuchIsOnItsWay() {
        EmbeddedChannel channel = new EmbeddedChannel();
        send(LONG, channel);
        assertThat(sent(channel)).isEqualTo(1);
        send(new Fenced(1), channel);
        assertThat(sent(channel)).isZero();
        channel.runPendingTasks();
        assertThat(sent(channel)).isEqualTo((16 << 20) / (1 << 16) - 1);
        send(new Fenced(1), channel);
        assertThat(sent(channel)).isEqualTo(1);
    }

    /** Messages of one part, of 256 KiB. */
    @Test
    void aReceiverThatHasStoppedDoesNotFillTheMemory() {
        Stopped stopped = new Stopped();
        EmbeddedChannel channel = new EmbeddedChannel(stopped);
        for (int message = 0; message < 300; message++) {
            send(new Parameters(4, 5, 0, new float[1 << 16]), channel);
        }
        assertThat(stopped.held()).isEqualTo(256);
        stopped.goOn();
        send(new Fenced(1), channel);
        assertThat(stopped.held()).isEqualTo(1);
    }

    /** Requests for 128 Ki rows, whose numbers take a MiB. */
    @Test
    void requestsCountToo() {
        Stopped stopped = new Stopped();
        EmbeddedChannel channel = new EmbeddedChannel(stopped);
        for (int message = 0; message < 100; message++) {
            send(new PullRows(4, 0, new long[1 << 17]), channel);
        }
        assertThat(stopped.held()).isEqualTo(64);
    }

    @Test
    void theLastPartCountsUntilItIsWritten() {
        Stopped stopped = new Stopped();
        EmbeddedChannel channel = new EmbeddedChannel(stopped);
        send(LONG, channel);
        for (int part = 1; part < (16 << 20) / (1 << 16); part++) {
            stopped.goOn();
            channel.runPendingTasks();
        }
        assertThat(stopped.held()).isEqualTo(1);
        send(new Fenced(1), channel);
        assertThat(stopped.held()).isEqualTo(1);
        stopped.goOn();
        send(new Fenced(1), channel);
        assertThat(stopped.held()).isEqualTo(1);
    }
}
