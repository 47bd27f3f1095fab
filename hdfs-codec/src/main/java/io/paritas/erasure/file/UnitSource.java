/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.file;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The bytes of one unit file. */
@FunctionalInterface
public interface UnitSource {
    /** Fills the buffer from a position in the file and flips it. It holds fewer bytes where the file ends. */
    ByteBuffer read(long position, ByteBuffer target) throws IOException;
}
