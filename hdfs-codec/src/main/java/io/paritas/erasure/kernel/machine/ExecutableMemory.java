/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.function.Consumer;

/**
 * Memory with code in it. It is mapped for writing, filled, and made executable and read-only: never both at once. It is given back
 * when its segment is collected. Linux only.
 */
final class ExecutableMemory {
    private static final int READ_WRITE = 3;
    private static final int READ_EXECUTE = 5;
    private static final int PRIVATE_ANONYMOUS = 0x22;
    private static final int NO_FILE = -1;
    private static final long FAILED = -1;
    private static final long PAGE = 4096;

    private static final MethodHandle MMAP = Foreign.libraryFunction(
            "mmap", Object.class, Object.class, long.class, int.class, int.class, int.class, long.class);
    private static final MethodHandle MPROTECT =
            Foreign.libraryFunction("mprotect", int.class, Object.class, long.class, int.class);
    private static final MethodHandle MUNMAP = Foreign.libraryFunction("munmap", int.class, Object.class, long.class);

    private ExecutableMemory() {}

    /**
     * Returns a memory segment with this code, ready to be called.
     *
     * @throws IllegalStateException if the system gives no such memory
     */
    static Object of(byte[] code) {
        long size = (code.length + PAGE - 1) / PAGE * PAGE;
        Object address = invoke(MMAP, Foreign.nullAddress(), size, READ_WRITE, PRIVATE_ANONYMOUS, NO_FILE, 0L);
        if (Foreign.address(address) == FAILED) {
            throw new IllegalStateException("the system gives no memory for " + size + " bytes of code");
        }
        Object memory = Foreign.owned(address, size, unmapping(address, size));
        Foreign.copy(code, memory);
        if ((int) invoke(MPROTECT, address, size, READ_EXECUTE) != 0) {
            throw new IllegalStateException(
                    "the system lets no memory become executable, as SELinux does without execmem");
        }
        return memory;
    }

    /**
     * What gives memory back. The JDK keeps it as long as the memory. So it is made of the JDK's classes alone: with one of ours, a
     * kernel in a static field would keep itself and its class loader for ever.
     */
    @SuppressWarnings("unchecked")
    private static Consumer<Object> unmapping(Object address, long size) {
        MethodHandle unmap = MethodHandles.insertArguments(MUNMAP, 0, address, size);
        return MethodHandleProxies.asInterfaceInstance(
                Consumer.class,
                MethodHandles.dropArguments(unmap, 0, Object.class)
                        .asType(MethodType.methodType(void.class, Object.class)));
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
