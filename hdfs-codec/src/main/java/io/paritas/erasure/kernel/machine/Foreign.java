/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * How this JVM calls native code, by reflection: this source is for Java 17, which has an interface of its own for it, and the one of
 * Java 22 was there as a preview in 21. Only used to set things up; calls of code go through method handles that the JIT inlines.
 */
abstract class Foreign {
    private static final int INCUBATED = 17;
    private static final int SINCE = 21;
    private static final int WITH_ARRAYS = 22;
    private static final String UNSUPPORTED = "jdk.unsupported";

    /** Made at the first use, which takes a part of a second. */
    private static final class Here {
        static final Foreign FOREIGN =
                Runtime.version().feature() == INCUBATED ? new IncubatorForeign() : new SegmentForeign();
    }

    /** What this JVM has. Only called when {@linkplain #unavailable available}. */
    static Foreign here() {
        return Here.FOREIGN;
    }

    /** Whether this JVM has an interface that is used here, given the right flags. */
    static boolean isKnown() {
        int feature = Runtime.version().feature();
        return lacksUnsafe().isEmpty() && hasInterface(feature);
    }

    /** Without arrays, the addresses of buffers are asked of a module that a Java that jlink made may lack. */
    private static Optional<String> lacksUnsafe() {
        return takesArrays() || ModuleLayer.boot().findModule(UNSUPPORTED).isPresent()
                ? Optional.empty()
                : Optional.of("this JVM runs without the module " + UNSUPPORTED + "; take a Java that has it");
    }

    private static boolean hasInterface(int feature) {
        return feature == INCUBATED ? IncubatorForeign.isInstalled() : feature >= SINCE;
    }

    /** Returns why native code cannot be called by this JVM, and what to do; empty if it can. */
    static Optional<String> unavailable() {
        int feature = Runtime.version().feature();
        if (lacksUnsafe().isPresent()) {
            return lacksUnsafe();
        }
        if (feature == INCUBATED) {
            return IncubatorForeign.unavailable();
        }
        if (feature < SINCE) {
            return Optional.of("this JVM is Java " + feature + ", and machine code needs Java " + INCUBATED + ", or "
                    + SINCE + " or newer");
        }
        return SegmentForeign.unavailable();
    }

    /** What allows this class to call native code. */
    static String flag() {
        Module module = Foreign.class.getModule();
        return "--enable-native-access=" + (module.isNamed() ? module.getName() : "ALL-UNNAMED");
    }

    /** Whether units may be in arrays; otherwise all are in direct buffers. */
    static boolean takesArrays() {
        return Runtime.version().feature() >= WITH_ARRAYS;
    }

    /** Returns what has to be in executable memory so that {@link #newCall calls} reach the code of a kernel for so many units. */
    static byte[] callable(byte[] code, int units) {
        return takesArrays() ? code : TableEntry.before(Architecture.here().orElseThrow(), code, units);
    }

    /** Returns a new way to call code. */
    static MachineCall newCall(MachineCall.Shape shape) {
        return takesArrays() ? SegmentCall.generate(shape, (SegmentForeign) here()) : new TableCall();
    }

    /** Memory at an address, as an object of the JDK. */
    record Memory(Object segment, long address) {}

    /**
     * Returns memory at an address.
     *
     * @param end runs when nobody has the segment any more; takes and returns nothing
     */
    abstract Memory memory(long address, long size, MethodHandle end);

    /** Returns a view of memory, which keeps it. */
    abstract ByteBuffer view(Memory memory);

    /** Returns the address of a function in the C library, or in one that this class's loader has loaded. */
    abstract Object symbol(String name);

    /**
     * Returns a handle for native functions: the address comes first, a {@linkplain Memory#segment segment} or a {@link #symbol}. The
     * functions must be short, because the collector waits for them; in exchange a call costs a few nanoseconds.
     *
     * @param parameters {@code int} or {@code long}, also for addresses, as the result
     */
    abstract MethodHandle function(Class<?> result, Class<?>... parameters);

    /** Returns a handle for a function of a library. The collector does not wait for it. Parameters and the result as above. */
    abstract MethodHandle libraryFunction(String name, Class<?> result, Class<?>... parameters);

    /**
     * Makes a handle an object with one method. The JDK keeps what it runs at the end of memory, and its class, which Java 17 and 21
     * define where the thread's context says: with a class loader of ours, a kernel in a static field would keep itself for ever.
     */
    static <T> T action(Class<T> type, MethodHandle run) {
        Thread thread = Thread.currentThread();
        ClassLoader context = thread.getContextClassLoader();
        thread.setContextClassLoader(ClassLoader.getPlatformClassLoader());
        try {
            return MethodHandleProxies.asInterfaceInstance(type, run);
        } finally {
            thread.setContextClassLoader(context);
        }
    }

    /** Calls the only public method of a type with this name and such parameters. */
    static Object call(Class<?> type, Object target, String name, Object... arguments) {
        Method method = Arrays.stream(type.getMethods())
                .filter(candidate -> candidate.getName().equals(name)
                        && candidate.getParameterCount() == arguments.length
                        && fits(candidate.getParameterTypes(), arguments))
                .findFirst()
                .orElseThrow(() -> new NoSuchElementException(type + "." + name));
        try {
            return method.invoke(target, arguments);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException("cannot call " + method, e);
        }
    }

    private static boolean fits(Class<?>[] types, Object[] arguments) {
        for (int i = 0; i < types.length; i++) {
            if (!types[i].isPrimitive() && !types[i].isInstance(arguments[i])) {
                return false;
            }
        }
        return true;
    }

    /** Returns the value of a public constant. */
    static Object constant(Class<?> type, String name) {
        try {
            return type.getField(name).get(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("JDK " + Runtime.version() + " has no " + type.getName() + "." + name, e);
        }
    }

    static Class<?> type(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("JDK " + Runtime.version() + " has no " + name, e);
        }
    }
}
