/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import io.paritas.PublicApi;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Rows of whole numbers as they are stored, and how they become a model's input: factor · value + offset in float32, both operations
 * rounded. Immutable, but for the content of the values.
 *
 * @param rows number of rows, at least 1
 * @param type of the values
 * @param values the rows, one behind the other, little-endian, from position 0 to the limit
 * @param factors one for all values; or one for each channel, the same number of consecutive values of a row
 * @param offsets as many
 */
@PublicApi
public record StoredRows(int rows, Type type, ByteBuffer values, List<Float> factors, List<Float> offsets) {

    /** Types of stored values. */
    public enum Type {
        /** Unsigned bytes, as pixels are. */
        UINT8(1),
        /** Unsigned numbers of two bytes, as sums of pixels are. */
        UINT16(2);

        private final int bytes;

        Type(int bytes) {
            this.bytes = bytes;
        }

        /** Bytes of a value. */
        public int bytes() {
            return bytes;
        }
    }

    /**
     * Checks that everything fits together.
     *
     * @throws IllegalArgumentException if it does not
     */
    public StoredRows {
        factors = List.copyOf(factors);
        offsets = List.copyOf(offsets);
        if (rows < 1 || values.limit() % ((long) rows * type.bytes()) != 0) {
            throw new IllegalArgumentException("stored rows must be at least 1 and have equally many values of "
                    + type.bytes() + " bytes, got " + rows + " rows in " + values.limit() + " bytes");
        }
        int size = values.limit() / rows / type.bytes();
        if (factors.isEmpty() || size % factors.size() != 0 || offsets.size() != factors.size()) {
            throw new IllegalArgumentException("stored rows must have a factor and an offset for all values or for each"
                    + " channel, got " + factors.size() + " and " + offsets.size() + " for " + size + " values");
        }
    }

    /** Values of a row. */
    public int size() {
        return values.limit() / rows / type.bytes();
    }

    /** Returns some of the rows. */
    public StoredRows part(int from, int count) {
        int bytes = size() * type.bytes();
        return new StoredRows(count, type, values.slice(from * bytes, count * bytes), factors, offsets);
    }

    /** Returns the rows with their values copied into a buffer, which has room for them. */
    public StoredRows copiedInto(ByteBuffer room) {
        ByteBuffer copy = room.slice(0, values.limit()).put(values.duplicate().rewind());
        return new StoredRows(rows, type, copy.flip(), factors, offsets);
    }
}
