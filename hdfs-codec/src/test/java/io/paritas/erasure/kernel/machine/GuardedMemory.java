/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.nio.ByteBuffer;

/** Memory between two pages that may not be touched. It is given back when its buffers are collected. */
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

    private static final MethodHandle MMAP = Foreign.here()
            .libraryFunction("mmap", long.class, long.class, long.class, int.class, int.class, int.class, long.class);
    private static final MethodHandle MPROTECT =
            Foreign.here().libraryFunction("mprotect", int.class, long.class, long.class, int.class);
    private static final MethodHandle MUNMAP =
            Foreign.here().libraryFunction("munmap", int.class, long.class, long.class);

    private GuardedMemory() {}

    /** Returns a buffer with these bytes. */
    static ByteBuffer of(byte[] bytes, Edge edge) {
        int inside = (bytes.length + PAGE - 1) / PAGE * PAGE;
        long size = inside + 2L * PAGE;
        long start = (long) ExecutableMemory.invoke(MMAP, 0L, size, NO_ACCESS, PRIVATE_ANONYMOUS, -1, 0L);
        Foreign.Memory whole =
                Foreign.here().memory(start, size, MethodHandles.insertArguments(MUNMAP, 0, start, size));
        if ((int) ExecutableMemory.invoke(MPROTECT, start + PAGE, (long) inside, READ_WRITE) != 0) {
            throw new IllegalStateException("mprotect failed");
        }
        ByteBuffer unit =
                Foreign.here().view(whole).slice(PAGE + (edge == Edge.FIRST ? 0 : inside - bytes.length), bytes.length);
        return unit.put(0, bytes);
    }
}
