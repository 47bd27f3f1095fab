/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import java.lang.invoke.MethodHandle;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * {@code java.lang.foreign} by reflection: this source is for Java 17, the API is final since Java 22. Memory segments are
 * objects here. Only used to set things up; calls of code go through method handles that a generated class inlines.
 */
final class Foreign {
    private static final int SINCE = 22;
    private static final String PACKAGE = "java.lang.foreign.";

    private Foreign() {}

    /** Whether this JVM has {@code java.lang.foreign}. */
    static boolean isKnown() {
        return Runtime.version().feature() >= SINCE;
    }

    /** Returns why native code cannot be called by this JVM, and what to do; empty if it can. */
    static Optional<String> unavailable() {
        if (!isKnown()) {
            return Optional.of("this JVM is Java " + Runtime.version().feature() + ", and machine code needs Java "
                    + SINCE + " or newer");
        }
        Module module = Foreign.class.getModule();
        if (!(boolean) call(Module.class, module, "isNativeAccessEnabled")) {
            return Optional.of("this JVM may not call native code; pass --enable-native-access="
                    + (module.isNamed() ? module.getName() : "ALL-UNNAMED"));
        }
        return Optional.empty();
    }

    static Class<?> type(String name) {
        try {
            return Class.forName(PACKAGE + name);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("JDK " + Runtime.version() + " has no " + PACKAGE + name, e);
        }
    }

    /** Calls the only public method of a type with this name and so many parameters. */
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

    private static Object layout(Class<?> carrier) {
        String name = carrier == long.class ? "JAVA_LONG" : carrier == int.class ? "JAVA_INT" : "ADDRESS";
        try {
            return type("ValueLayout").getField(name).get(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("no layout " + name, e);
        }
    }

    /**
     * Returns a handle for native functions: the address comes first, as a memory segment. The functions must be short, because the
     * collector waits for them; in exchange a call costs a few nanoseconds, and arrays are passed where they are.
     *
     * @param parameters {@code int}, {@code long}, or {@code Object} for an address
     */
    static MethodHandle function(Class<?> result, Class<?>... parameters) {
        Object critical = call(type("Linker$Option"), null, "critical", true);
        return link(new Object[] {descriptor(result, parameters), options(critical)});
    }

    /** Returns a handle for a function of the C library; its address is not an argument. */
    static MethodHandle libraryFunction(String name, Class<?> result, Class<?>... parameters) {
        Object lookup = call(type("Linker"), linker(), "defaultLookup");
        Object symbol = ((Optional<?>) call(type("SymbolLookup"), lookup, "find", name)).orElseThrow();
        return link(new Object[] {symbol, descriptor(result, parameters), options()});
    }

    private static MethodHandle link(Object[] arguments) {
        return (MethodHandle) call(type("Linker"), linker(), "downcallHandle", arguments);
    }

    private static Object linker() {
        return call(type("Linker"), null, "nativeLinker");
    }

    private static Object options(Object... options) {
        Object array = Array.newInstance(type("Linker$Option"), options.length);
        System.arraycopy(options, 0, array, 0, options.length);
        return array;
    }

    private static Object descriptor(Class<?> result, Class<?>... parameters) {
        Object[] layouts = Stream.of(parameters).map(Foreign::layout).toArray();
        Object array = Array.newInstance(type("MemoryLayout"), layouts.length);
        System.arraycopy(layouts, 0, array, 0, layouts.length);
        return call(type("FunctionDescriptor"), null, "of", layout(result), array);
    }

    static Object segment(byte[] array) {
        return call(type("MemorySegment"), null, "ofArray", array);
    }

    static Object nullAddress() {
        try {
            return type("MemorySegment").getField("NULL").get(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("no null address", e);
        }
    }

    static long address(Object segment) {
        return (long) call(type("MemorySegment"), segment, "address");
    }

    /** Gives an address its size, and its end: the action runs when nobody has the segment any more. */
    static Object owned(Object address, long size, Consumer<Object> end) {
        Object arena = call(type("Arena"), null, "ofAuto");
        return call(type("MemorySegment"), address, "reinterpret", size, arena, end);
    }

    /** Copies an array to the start of a segment. */
    static void copy(byte[] from, Object to) {
        call(type("MemorySegment"), to, "copyFrom", segment(from));
    }
}
