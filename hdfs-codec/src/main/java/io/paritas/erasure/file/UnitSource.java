/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.file;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The bytes of a unit file, wherever they are. */
@FunctionalInterface
public interface UnitSource {
    /** Fills the buffer from the file's bytes at the position, and flips it: it is shorter if the file ends before. */
    ByteBuffer read(long position, ByteBuffer target) throws IOException;
}
