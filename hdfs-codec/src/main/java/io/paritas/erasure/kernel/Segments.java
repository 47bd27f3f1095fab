/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.Buffer;
import java.nio.ByteBuffer;

/** Memory segments of buffers, which the compiler of this source does not know. Only for JDK 19 and newer. */
final class Segments {
    private static final MethodHandle OF_BUFFER = ofBuffer();

    private Segments() {}

    private static MethodHandle ofBuffer() {
        try {
            Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
            return MethodHandles.publicLookup()
                    .findStatic(segment, "ofBuffer", MethodType.methodType(segment, Buffer.class))
                    .asType(MethodType.methodType(Object.class, ByteBuffer.class));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("JDK " + Runtime.version() + " has no memory segments", e);
        }
    }

    /** Returns the memory segment of a buffer's remaining bytes. */
    static Object of(ByteBuffer buffer) {
        try {
            return (Object) OF_BUFFER.invokeExact(buffer);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("cannot view a buffer as a memory segment", e);
        }
    }
}
