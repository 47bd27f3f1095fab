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
    private static final long READ_WRITE = 3;
    private static final long READ_EXECUTE = 5;
    private static final long PRIVATE_ANONYMOUS = 0x22;
    private static final long NO_FILE = -1;
    private static final long FAILED = -1;
    private static final long PAGE = 4096;

    // The numbers of system calls on amd64.
    private static final long MMAP = 9;
    private static final long MPROTECT = 10;
    private static final long MUNMAP = 11;

    /** {@code (number, six arguments)long}: one handle, because each further one takes the start of a JVM 20 ms. */
    private static final MethodHandle SYSTEM_CALL = Foreign.libraryFunction(
            "syscall", long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class);

    private ExecutableMemory() {}

    /**
     * Returns a memory segment with this code, ready to be called.
     *
     * @throws IllegalStateException if the system gives no such memory
     */
    static Object of(byte[] code) {
        long size = (code.length + PAGE - 1) / PAGE * PAGE;
        long address = systemCall(MMAP, 0, size, READ_WRITE, PRIVATE_ANONYMOUS, NO_FILE);
        if (address == FAILED) {
            throw new IllegalStateException("the system gives no memory for " + size + " bytes of code");
        }
        Object memory = Foreign.owned(Foreign.segment(address), size, unmapping(address, size));
        Foreign.copy(code, memory);
        if (systemCall(MPROTECT, address, size, READ_EXECUTE, 0, 0) != 0) {
            throw new IllegalStateException(
                    "the system lets no memory become executable, as SELinux does without execmem");
        }
        return memory;
    }

    private static long systemCall(long number, long first, long second, long third, long fourth, long fifth) {
        try {
            return (long) SYSTEM_CALL.invokeExact(number, first, second, third, fourth, fifth, 0L);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /**
     * What gives memory back. The JDK keeps it as long as the memory. So it is made of the JDK's classes alone: with one of ours, a
     * kernel in a static field would keep itself and its class loader for ever.
     */
    @SuppressWarnings("unchecked")
    private static Consumer<Object> unmapping(long address, long size) {
        MethodHandle unmap = MethodHandles.insertArguments(SYSTEM_CALL, 0, MUNMAP, address, size, 0L, 0L, 0L, 0L);
        return MethodHandleProxies.asInterfaceInstance(
                Consumer.class,
                MethodHandles.dropArguments(unmap, 0, Object.class)
                        .asType(MethodType.methodType(void.class, Object.class)));
    }

    static Object invoke(MethodHandle function, Object... arguments) {
        try {
            return function.invokeWithArguments(arguments);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    private static RuntimeException failure(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        return e instanceof RuntimeException known ? known : new IllegalStateException("a native call failed", e);
    }
}
