/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.ChannelFuture;
import io.netty.channel.embedded.EmbeddedChannel;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.Message;
import io.paritas.spark.ecrm.protocol.ReadMessage.Parameters;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fenced;
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
}
