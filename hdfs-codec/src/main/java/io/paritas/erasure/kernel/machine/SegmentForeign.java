/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** {@code java.lang.foreign}, which is final since Java 22. In Java 21 it is a preview, which reflection may use without a flag. */
final class SegmentForeign extends Foreign {
    private static final String PACKAGE = "java.lang.foreign.";

    static Optional<String> unavailable() {
        boolean enabled = (boolean) call(Module.class, SegmentForeign.class.getModule(), "isNativeAccessEnabled");
        return enabled ? Optional.empty() : Optional.of("this JVM may not call native code; pass " + flag());
    }

    static Class<?> typeOf(String name) {
        return type(PACKAGE + name);
    }

    /** Parameters may also be {@code Object}, for memory segments; from Java 22 on those may be arrays, which are passed where they are. */
    @Override
    MethodHandle function(Class<?> result, Class<?>... parameters) {
        Class<?> option = typeOf("Linker$Option");
        Object brief = takesArrays() ? call(option, null, "critical", true) : call(option, null, "isTrivial");
        return link(descriptor(result, parameters), options(brief));
    }

    @Override
    MethodHandle libraryFunction(String name, Class<?> result, Class<?>... parameters) {
        return link(symbol(name), descriptor(result, parameters), options());
    }

    @Override
    Object symbol(String name) {
        Object ofLoader = call(typeOf("SymbolLookup"), null, "loaderLookup");
        return Stream.of(call(typeOf("Linker"), linker(), "defaultLookup"), ofLoader)
                .flatMap(lookup -> ((Optional<?>) call(typeOf("SymbolLookup"), lookup, "find", name)).stream())
                .findFirst()
                .orElseThrow();
    }

    private static MethodHandle link(Object... arguments) {
        return (MethodHandle) call(typeOf("Linker"), linker(), "downcallHandle", arguments);
    }

    private static Object linker() {
        return call(typeOf("Linker"), null, "nativeLinker");
    }

    private static Object options(Object... options) {
        Object array = Array.newInstance(typeOf("Linker$Option"), options.length);
        System.arraycopy(options, 0, array, 0, options.length);
        return array;
    }

    private static Object descriptor(Class<?> result, Class<?>... parameters) {
        Object[] layouts = Stream.of(parameters).map(SegmentForeign::layout).toArray();
        Object array = Array.newInstance(typeOf("MemoryLayout"), layouts.length);
        System.arraycopy(layouts, 0, array, 0, layouts.length);
        return call(typeOf("FunctionDescriptor"), null, "of", layout(result), array);
    }

    private static Object layout(Class<?> carrier) {
        String name = carrier == long.class ? "JAVA_LONG" : carrier == int.class ? "JAVA_INT" : "ADDRESS";
        return constant(typeOf("ValueLayout"), name);
    }

    @Override
    Memory memory(long address, long size, MethodHandle end) {
        Object start = call(typeOf("MemorySegment"), null, "ofAddress", address);
        Consumer<?> action = action(
                Consumer.class,
                MethodHandles.dropArguments(end, 0, Object.class)
                        .asType(MethodType.methodType(void.class, Object.class)));
        Object arena = call(typeOf("Arena"), null, "ofAuto");
        return new Memory(call(typeOf("MemorySegment"), start, "reinterpret", size, arena, action), address);
    }

    @Override
    ByteBuffer view(Memory memory) {
        return (ByteBuffer) call(typeOf("MemorySegment"), memory.segment(), "asByteBuffer");
    }
}
