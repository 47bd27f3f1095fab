/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import java.lang.constant.Constable;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.lang.module.ModuleFinder;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.stream.Stream;

/** {@code jdk.incubator.foreign} of Java 17 (JEP 412). */
final class IncubatorForeign extends Foreign {
    private static final String MODULE = "jdk.incubator.foreign";

    /** Whether the JVM could be started with the module. */
    static boolean isInstalled() {
        return ModuleFinder.ofSystem().find(MODULE).isPresent();
    }

    static Optional<String> unavailable() {
        if (ModuleLayer.boot().findModule(MODULE).isEmpty()) {
            return Optional.of("this JVM runs without the module " + MODULE + "; pass --add-modules " + MODULE
                    + (isInstalled() ? " " + flag() : ", and take a Java 17 that has it"));
        }
        try {
            linker();
            return Optional.empty();
        } catch (IllegalStateException e) {
            return Optional.of("this JVM may not call native code; pass " + flag());
        }
    }

    private static Class<?> typeOf(String name) {
        return type(MODULE + "." + name);
    }

    private static Object linker() {
        return call(typeOf("CLinker"), null, "getInstance");
    }

    @Override
    MethodHandle function(Class<?> result, Class<?>... parameters) {
        Class<?> type = typeOf("FunctionDescriptor");
        Object brief = constant(type, "TRIVIAL_ATTRIBUTE_NAME");
        Object descriptor = call(type, descriptor(result, parameters), "withAttribute", brief, (Constable) true);
        MethodHandle handle = (MethodHandle) call(
                typeOf("CLinker"), linker(), "downcallHandle", MethodType.methodType(result, parameters), descriptor);
        return handle.asType(handle.type().changeParameterType(0, Object.class));
    }

    @Override
    MethodHandle libraryFunction(String name, Class<?> result, Class<?>... parameters) {
        return (MethodHandle) call(
                typeOf("CLinker"),
                linker(),
                "downcallHandle",
                symbol(name),
                MethodType.methodType(result, parameters),
                descriptor(result, parameters));
    }

    @Override
    Object symbol(String name) {
        Class<?> type = typeOf("SymbolLookup");
        return Stream.of(call(typeOf("CLinker"), null, "systemLookup"), call(type, null, "loaderLookup"))
                .flatMap(lookup -> ((Optional<?>) call(type, lookup, "lookup", name)).stream())
                .findFirst()
                .orElseThrow();
    }

    private static Object descriptor(Class<?> result, Class<?>... parameters) {
        Object[] layouts = Stream.of(parameters).map(IncubatorForeign::layout).toArray();
        Object array = Array.newInstance(typeOf("MemoryLayout"), layouts.length);
        System.arraycopy(layouts, 0, array, 0, layouts.length);
        return call(typeOf("FunctionDescriptor"), null, "of", layout(result), array);
    }

    private static Object layout(Class<?> carrier) {
        return constant(typeOf("CLinker"), carrier == long.class ? "C_LONG" : "C_INT");
    }

    @Override
    Memory memory(long address, long size, MethodHandle end) {
        Object start = call(typeOf("MemoryAddress"), null, "ofLong", address);
        Runnable action = action(Runnable.class, end.asType(MethodType.methodType(void.class)));
        Object scope = call(typeOf("ResourceScope"), null, "newImplicitScope");
        return new Memory(call(typeOf("MemoryAddress"), start, "asSegment", size, action, scope), address);
    }

    @Override
    ByteBuffer view(Memory memory) {
        return (ByteBuffer) call(typeOf("MemorySegment"), memory.segment(), "asByteBuffer");
    }
}
