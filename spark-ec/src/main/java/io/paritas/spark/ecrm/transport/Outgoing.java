/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.util.Attribute;
import io.netty.util.AttributeKey;
import io.paritas.spark.ecrm.protocol.Codec;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.Message;
import java.nio.ByteBuffer;
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

    /** Bytes of the messages that are not written to the end. The channel does not count them: they are bodies of Spark's messages. */
    private static final AttributeKey<AtomicLong> UNWRITTEN = AttributeKey.valueOf(Outgoing.class, "unwritten");

    private final Channel channel;
    private final Envelope envelope;
    private final Iterator<Message> parts;
    /** Bytes of this message that are counted. */
    private long counted;

    private Outgoing(Channel channel, Envelope envelope) {
        this.channel = channel;
        this.envelope = envelope;
        this.parts = envelope.message().parts();
    }

    /** Sends a message, or drops it if the receiver does not keep up. */
    static void send(Envelope envelope, Channel channel) {
        if (channel.bytesBeforeWritable() + unwritten(channel).get() >= MOST_UNSENT) {
            return;
        }
        new Outgoing(channel, envelope).next();
    }

    private static AtomicLong unwritten(Channel channel) {
        Attribute<AtomicLong> unwritten = channel.attr(UNWRITTEN);
        if (unwritten.get() == null) {
            unwritten.setIfAbsent(new AtomicLong());
        }
        return unwritten.get();
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

    /** Goes on, on a thread of the channel, when the part is written; ends with the last one. */
    private void write(Message part) {
        Envelope enveloped = new Envelope(envelope.from(), envelope.to(), envelope.epoch(), part);
        ByteBuffer bytes = Codec.encode(enveloped);
        if (counted == 0) {
            counted = Math.max(envelope.message().bytes(), bytes.remaining());
            unwritten(channel).addAndGet(counted);
        }
        boolean last = !parts.hasNext();
        ChannelFuture sent = channel.writeAndFlush(new OneWayMessage(new NioManagedBuffer(bytes)));
        sent.addListener(written -> {
            if (written.isSuccess() && !last) {
                // Not at once: it is the turn of other messages.
                channel.eventLoop().execute(this::next);
            } else {
                end();
            }
        });
    }

    private void end() {
        unwritten(channel).addAndGet(-counted);
    }
}
