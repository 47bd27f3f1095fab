/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;

/** The unit files of a group. */
public interface Units {
    /** The units known to be lost as a whole, with the reason. More may follow later. */
    Map<Integer, String> lost();

    /**
     * Fills the buffer from a position in a unit's file and flips it. It holds fewer bytes where the file ends.
     *
     * @param unit one that is not lost
     * @throws IOException if the bytes cannot be read
     */
    ByteBuffer read(int unit, long position, ByteBuffer target) throws IOException;

    /** Describes the unit in messages. */
    default String describe(int unit) {
        return "unit " + unit;
    }
}
