/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.input;

/** The type of a row's values as they cross the exchange; all are little-endian. */
public enum Element {
    /** Unsigned bytes, as pixels are. */
    UINT8(1),
    /** Unsigned numbers of two bytes, as sums of up to 257 pixels are. */
    UINT16(2),
    FLOAT32(4);

    private final int bytes;

    Element(int bytes) {
        this.bytes = bytes;
    }

    /** Bytes of one value. */
    public int bytes() {
        return bytes;
    }
}
