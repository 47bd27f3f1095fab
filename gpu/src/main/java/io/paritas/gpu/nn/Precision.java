/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import java.nio.ByteBuffer;

/** The precision of the values that are multiplied. Products are summed in float32 in both. */
public enum Precision {
    /** float16, on the matrix units. */
    HALF("half", Short.BYTES, 32, 16),
    /** float32, without matrix units. */
    SINGLE("single", Float.BYTES, 8, 8);

    /** What a thread copies at a time. */
    private static final int CHUNK_BYTES = 16;

    private final String text;
    private final int bytes;
    private final int depth;
    private final int ofAnInstruction;

    Precision(String text, int bytes, int depth, int ofAnInstruction) {
        this.text = text;
        this.bytes = bytes;
        this.depth = depth;
        this.ofAnInstruction = ofAnInstruction;
    }

    /** The number of bytes of a value. */
    public int bytes() {
        return bytes;
    }

    /** The columns of A that are brought to shared memory at a time. */
    int depth() {
        return depth;
    }

    /** Returns K rounded up to what is multiplied at a time: so many products are in a sum. */
    int multiplied(int k) {
        return roundedUp(k, ofAnInstruction);
    }

    /** Returns K rounded up to whole steps. */
    int padded(int k) {
        return roundedUp(k, depth);
    }

    private static int roundedUp(int k, int multiple) {
        return Math.multiplyExact((k + multiple - 1) / multiple, multiple);
    }

    /** The number of values that a thread copies at a time. */
    int ofAChunk() {
        return CHUNK_BYTES / bytes;
    }

    /**
     * Returns how many channels the images of a convolution are stored with: as many as fill whole sixteen bytes, which are copied at a time.
     * Without matrix units only if these are at most three times as many.
     */
    public int storedChannels(int channels) {
        int filled = (channels + ofAChunk() - 1) / ofAChunk() * ofAChunk();
        return this == HALF || filled <= 3L * channels ? filled : channels;
    }

    /** Returns the nearest value of this precision. */
    float rounded(float value) {
        return this == HALF ? Halves.toFloat(Halves.of(value)) : value;
    }

    /** Appends the nearest value of this precision. */
    void put(ByteBuffer bytes, float value) {
        if (this == HALF) {
            bytes.putShort(Halves.of(value));
        } else {
            bytes.putFloat(value);
        }
    }

    /** The name, as in the names of kernels. */
    @Override
    public String toString() {
        return text;
    }
}
