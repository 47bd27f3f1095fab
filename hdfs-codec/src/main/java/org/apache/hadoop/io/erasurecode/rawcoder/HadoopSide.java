/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.io.erasurecode.rawcoder;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;

/**
 * Creates coders whose classes are defined by Hadoop's class loader, whichever class loader defined this class.
 *
 * <p>If both are the same, this is an ordinary class lookup. If this jar came from a child class loader, the coder
 * classes are defined again beside Hadoop's classes, through a private lookup of Hadoop's package; further children
 * find them there.
 */
final class HadoopSide {
    private final MethodHandle newEncoder;
    private final MethodHandle newDecoder;

    /**
     * Holds the handles. A separate class, so that a failure occurs while a coder is created, where HDFS falls back.
     */
    private static final class Holder {
        static final HadoopSide INSTANCE = new HadoopSide();
    }

    private HadoopSide() {
        // By name: once another child has defined them, this one may not access them.
        Class<?> decoder = define("ParitasRawDecoder");
        Class<?> encoder = define("ParitasRawEncoder");
        newEncoder = constructor(encoder, BiConsumer.class, RawErasureEncoder.class);
        newDecoder = constructor(decoder, Function.class, RawErasureDecoder.class);
    }

    static RawErasureEncoder encoder(
            ErasureCoderOptions options, BiConsumer<ByteBuffer[], ByteBuffer[]> code, boolean prefersDirect) {
        try {
            return (RawErasureEncoder) Holder.INSTANCE.newEncoder.invokeExact(options, code, prefersDirect);
        } catch (Throwable e) {
            throw failure("encoder", e);
        }
    }

    static RawErasureDecoder decoder(
            ErasureCoderOptions options,
            Function<int[], BiConsumer<ByteBuffer[], ByteBuffer[]>> code,
            boolean prefersDirect) {
        try {
            return (RawErasureDecoder) Holder.INSTANCE.newDecoder.invokeExact(options, code, prefersDirect);
        } catch (Throwable e) {
            throw failure("decoder", e);
        }
    }

    private static IllegalStateException failure(String what, Throwable cause) {
        return new IllegalStateException("cannot make an " + what + " in the class loader of Hadoop: " + cause, cause);
    }

    /** Finds or defines a class. The lock is Hadoop's class, which all child class loaders share. */
    private static Class<?> define(String simpleName) {
        synchronized (RawErasureEncoder.class) {
            try {
                String name = HadoopSide.class.getPackageName() + '.' + simpleName;
                return Class.forName(name, true, RawErasureEncoder.class.getClassLoader());
            } catch (ClassNotFoundException notYet) {
                return defineFromResource(simpleName + ".class");
            }
        }
    }

    private static Class<?> defineFromResource(String resource) {
        try (InputStream in = HadoopSide.class.getResourceAsStream(resource)) {
            return hadoopLookup().defineClass(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + resource, e);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("Hadoop's package " + HadoopSide.class.getPackageName() + " is closed", e);
        }
    }

    private static MethodHandle constructor(Class<?> coder, Class<?> code, Class<?> type) {
        try {
            return hadoopLookup()
                    .findConstructor(
                            coder, MethodType.methodType(void.class, ErasureCoderOptions.class, code, boolean.class))
                    .asType(MethodType.methodType(type, ErasureCoderOptions.class, code, boolean.class));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the class loader of Hadoop has another version of " + coder, e);
        }
    }

    private static MethodHandles.Lookup hadoopLookup() throws IllegalAccessException {
        return MethodHandles.privateLookupIn(RawErasureEncoder.class, MethodHandles.lookup());
    }
}
