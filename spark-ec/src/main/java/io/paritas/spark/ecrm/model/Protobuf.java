/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.model;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** A message in the wire format of Protocol Buffers, as far as ONNX needs it. Fields are written in the order of the calls. */
final class Protobuf {
    private static final int VARINT = 0;
    private static final int BYTES = 2;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    Protobuf number(int field, long value) {
        varint(((long) field << 3) | VARINT);
        varint(value);
        return this;
    }

    Protobuf bytes(int field, byte[] value) {
        varint(((long) field << 3) | BYTES);
        varint(value.length);
        out.writeBytes(value);
        return this;
    }

    Protobuf text(int field, String value) {
        return bytes(field, value.getBytes(StandardCharsets.UTF_8));
    }

    Protobuf message(int field, Protobuf value) {
        return bytes(field, value.toBytes());
    }

    byte[] toBytes() {
        return out.toByteArray();
    }

    /** Seven bits in a byte, the lowest first. */
    private void varint(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            out.write((int) ((rest & 0x7F) | 0x80));
            rest >>>= 7;
        }
        out.write((int) rest);
    }
}
