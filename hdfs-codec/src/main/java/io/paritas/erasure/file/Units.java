/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;

/** The unit files of a group, wherever they are. */
public interface Units {
    /** The units that are known not to be usable as a whole, and why. There may be more of them later. */
    Map<Integer, String> lost();

    /**
     * Fills the buffer from a unit's bytes at the position, and flips it: it is shorter if the file ends before.
     *
     * @param unit one that is not lost
     * @throws IOException if the bytes cannot be read
     */
    ByteBuffer read(int unit, long position, ByteBuffer target) throws IOException;

    /** The unit in messages. */
    default String describe(int unit) {
        return "unit " + unit;
    }
}
