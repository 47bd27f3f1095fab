/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;

/** Ranges of byte arrays as longs, in the order of this machine. */
final class LongRange {
    private LongRange() {}

    /**
     * A view whose bulk copies are the platform's {@code memcpy}.
     *
     * @param bytes a byte array
     * @param size bytes of the range: whole longs
     */
    static LongBuffer of(Object bytes, int from, int size) {
        return ByteBuffer.wrap((byte[]) bytes, from, size)
                .order(ByteOrder.nativeOrder())
                .asLongBuffer();
    }
}
