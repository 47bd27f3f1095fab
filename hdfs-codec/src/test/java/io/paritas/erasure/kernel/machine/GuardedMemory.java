/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;

/** Memory between two pages that may not be touched. It is given back when its segment is collected. */
final class GuardedMemory {
    /** Where bytes lie between the two pages. */
    enum Edge {
        /** Right behind the first one. */
        FIRST,
        /** Right before the second one. */
        SECOND
    }

    private static final int NO_ACCESS = 0;
    private static final int READ_WRITE = 3;
    private static final int PRIVATE_ANONYMOUS = 0x22;
    private static final int PAGE = 4096;

    private static final MethodHandle MMAP = Foreign.libraryFunction(
            "mmap", Object.class, Object.class, long.class, int.class, int.class, int.class, long.class);
    private static final MethodHandle MPROTECT =
            Foreign.libraryFunction("mprotect", int.class, Object.class, long.class, int.class);
    private static final MethodHandle MUNMAP = Foreign.libraryFunction("munmap", int.class, Object.class, long.class);

    private GuardedMemory() {}

    /** Returns a memory segment with these bytes. */
    static Object of(byte[] bytes, Edge edge) {
        long inside = (bytes.length + PAGE - 1L) / PAGE * PAGE;
        long size = inside + 2 * PAGE;
        Object start = ExecutableMemory.invoke(MMAP, Foreign.nullAddress(), size, NO_ACCESS, PRIVATE_ANONYMOUS, -1, 0L);
        Object whole = Foreign.owned(start, size, ignored -> ExecutableMemory.invoke(MUNMAP, start, size));
        Object middle = slice(whole, PAGE, inside);
        if ((int) ExecutableMemory.invoke(MPROTECT, middle, inside, READ_WRITE) != 0) {
            throw new IllegalStateException("mprotect failed");
        }
        Object unit = slice(middle, edge == Edge.FIRST ? 0 : inside - bytes.length, bytes.length);
        Foreign.copy(bytes, unit);
        return unit;
    }

    private static Object slice(Object segment, long from, long size) {
        return Foreign.call(Foreign.type("MemorySegment"), segment, "asSlice", from, size);
    }

    /** Views a segment as a buffer. */
    static ByteBuffer view(Object segment) {
        return (ByteBuffer) Foreign.call(Foreign.type("MemorySegment"), segment, "asByteBuffer");
    }
}
