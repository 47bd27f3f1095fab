/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;

/**
 * Memory with code in it. It is mapped for writing, filled, and made executable and read-only: never both at once. It is given back
 * when its object is collected. Linux only, which makes the code visible to processors that fetch instructions past their data caches, as those of
 * AArch64 do, when it makes the memory executable.
 */
final class ExecutableMemory {
    private static final int READ_WRITE = 3;
    private static final int READ_EXECUTE = 5;
    private static final int PRIVATE_ANONYMOUS = 0x22;
    private static final int NO_FILE = -1;
    private static final long FAILED = -1;
    private static final long PAGE = 4096;

    private static final MethodHandle MMAP = Foreign.here()
            .libraryFunction("mmap", long.class, long.class, long.class, int.class, int.class, int.class, long.class);
    private static final MethodHandle MPROTECT =
            Foreign.here().libraryFunction("mprotect", int.class, long.class, long.class, int.class);
    private static final MethodHandle MUNMAP =
            Foreign.here().libraryFunction("munmap", int.class, long.class, long.class);

    private ExecutableMemory() {}

    /**
     * Returns memory with this code, ready to be called.
     *
     * @throws IllegalStateException if the system gives no such memory
     */
    static Foreign.Memory of(byte[] code) {
        long size = (code.length + PAGE - 1) / PAGE * PAGE;
        long address = (long) invoke(MMAP, 0L, size, READ_WRITE, PRIVATE_ANONYMOUS, NO_FILE, 0L);
        if (address == FAILED) {
            throw new IllegalStateException("the system gives no memory for " + size + " bytes of code");
        }
        // Made of the JDK's classes alone: the JDK keeps it as long as the memory.
        Foreign.Memory memory =
                Foreign.here().memory(address, size, MethodHandles.insertArguments(MUNMAP, 0, address, size));
        Foreign.here().view(memory).put(code);
        if ((int) invoke(MPROTECT, address, size, READ_EXECUTE) != 0) {
            throw new IllegalStateException(
                    "the system lets no memory become executable, as SELinux does without execmem");
        }
        return memory;
    }

    static Object invoke(MethodHandle function, Object... arguments) {
        try {
            return function.invokeWithArguments(arguments);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("a native call failed", e);
        }
    }
}
