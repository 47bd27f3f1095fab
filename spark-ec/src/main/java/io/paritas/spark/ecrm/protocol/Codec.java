/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

import java.nio.ByteBuffer;

/**
 * Envelopes as bytes: version (1 byte), kind (1), from and to (9 each: role, id, birth), epoch (4), and what the message
 * consists of, in the order of its record. Numbers are big-endian; arrays and lists begin with their length (4).
 */
public final class Codec {
    /** Of the layout of all messages: only equal ones understand each other. */
    static final int VERSION = 1;

    private Codec() {}

    public static ByteBuffer encode(Envelope envelope) {
        WireWriter to = new WireWriter();
        to.one(VERSION);
        to.one(Kind.of(envelope.message()).number);
        envelope.from().write(to);
        envelope.to().write(to);
        to.int4(envelope.epoch());
        envelope.message().write(to);
        return to.written();
    }

    /**
     * What was encoded.
     *
     * @throws WireException if it is not a message of this version, or damaged
     */
    public static Envelope decode(ByteBuffer bytes) {
        WireReader from = new WireReader(bytes);
        int version = from.one();
        if (version != VERSION) {
            throw new WireException("A message is of version " + version + ", and this is " + VERSION
                    + ": run the same version of Paritas everywhere");
        }
        Kind kind = Kind.of(from.one());
        Address sender = Address.read(from);
        Address receiver = Address.read(from);
        int epoch = from.int4();
        Message message = kind.read(from);
        from.end();
        return new Envelope(sender, receiver, epoch, message);
    }
}
