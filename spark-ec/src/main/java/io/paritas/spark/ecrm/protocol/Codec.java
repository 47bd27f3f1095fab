/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

import java.nio.ByteBuffer;

/**
 * Encodes envelopes: version (1 byte), kind (1), sender and receiver (9 each: role, id, birth), epoch (4), then the
 * fields of the message in the order of its record. Numbers are little-endian; arrays and lists begin with their length (4
 * bytes).
 */
public final class Codec {
    /** The version of the layout of all messages. Both sides need the same one. */
    static final int VERSION = 4;

    private Codec() {}

    /** Encodes a message with its sender, receiver and epoch. */
    public static ByteBuffer encode(Envelope envelope) {
        WireWriter to = new WireWriter(envelope.message().bytes());
        to.int1(VERSION);
        to.int1(MessageKind.of(envelope.message()).number);
        envelope.from().write(to);
        envelope.to().write(to);
        to.int4(envelope.epoch());
        envelope.message().write(to);
        return to.written();
    }

    /**
     * Decodes the bytes of {@link #encode}.
     *
     * @throws WireException if the bytes are damaged or of another version
     */
    public static Envelope decode(ByteBuffer bytes) {
        WireReader from = new WireReader(bytes);
        int version = from.int1();
        if (version != VERSION) {
            throw new WireException("message version must be " + VERSION + ", got " + version
                    + ": run the same version of Paritas everywhere");
        }
        MessageKind kind = MessageKind.of(from.int1());
        Address sender = Address.read(from);
        Address receiver = Address.read(from);
        int epoch = from.int4();
        Message message = kind.read(from);
        from.end();
        return new Envelope(sender, receiver, epoch, message);
    }
}
