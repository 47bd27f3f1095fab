/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.util.Attribute;
import io.netty.util.AttributeKey;
import io.paritas.spark.ecrm.protocol.Codec;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.Message;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.protocol.OneWayMessage;

/**
 * A message on its way through a channel. Of a long one, a part is encoded when the part before is written, so that the receiver
 * decodes one meanwhile, and other messages find their way between them.
 */
final class Outgoing {
    /** Most unsent bytes for one receiver; more messages are dropped. */
    private static final long MOST_UNSENT = 64 << 20;

    /** Bytes of the messages whose parts are not all written. */
    private static final AttributeKey<AtomicLong> IN_PARTS = AttributeKey.valueOf(Outgoing.class, "inParts");

    private final Channel channel;
    private final Envelope envelope;
    private final Iterator<Message> parts;

    private Outgoing(Channel channel, Envelope envelope) {
        this.channel = channel;
        this.envelope = envelope;
        this.parts = envelope.message().parts();
    }

    /** Sends a message, or drops it if the receiver does not keep up. */
    static void send(Envelope envelope, Channel channel) {
        if (channel.bytesBeforeWritable() + inParts(channel).get() >= MOST_UNSENT) {
            return;
        }
        Outgoing message = new Outgoing(channel, envelope);
        inParts(channel).addAndGet(envelope.message().bytes());
        message.next();
    }

    private static AtomicLong inParts(Channel channel) {
        Attribute<AtomicLong> inParts = channel.attr(IN_PARTS);
        if (inParts.get() == null) {
            inParts.setIfAbsent(new AtomicLong());
        }
        return inParts.get();
    }

    /** Sends the next part; gives the message up if there is no memory for it. */
    private void next() {
        boolean sent = false;
        try {
            write(parts.next());
            sent = true;
        } finally {
            if (!sent) {
                end();
            }
        }
    }

    /** Goes on, on a thread of the channel, when the part is written. */
    private void write(Message part) {
        Envelope enveloped = new Envelope(envelope.from(), envelope.to(), envelope.epoch(), part);
        ChannelFuture sent = channel.writeAndFlush(new OneWayMessage(new NioManagedBuffer(Codec.encode(enveloped))));
        if (parts.hasNext()) {
            sent.addListener(written -> {
                if (written.isSuccess()) {
                    // Not at once: it is the turn of other messages.
                    channel.eventLoop().execute(this::next);
                } else {
                    end();
                }
            });
        } else {
            end();
        }
    }

    private void end() {
        inParts(channel).addAndGet(-envelope.message().bytes());
    }
}
