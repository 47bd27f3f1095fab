/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.input;

import io.paritas.inference.StoredRows;
import java.util.Optional;

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

    /** The type of stored rows for a model; empty if models take it anyway. */
    Optional<StoredRows.Type> stored() {
        return switch (this) {
            case UINT8 -> Optional.of(StoredRows.Type.UINT8);
            case UINT16 -> Optional.of(StoredRows.Type.UINT16);
            case FLOAT32 -> Optional.empty();
        };
    }

    /** Bytes of one value. */
    public int bytes() {
        return bytes;
    }
}
