/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.io.erasurecode.rawcoder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.erasure.ErasureCode;
import io.paritas.erasure.Stripes;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.StreamSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.erasurecode.CodecRegistry;
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How Hadoop finds our coders, from the class loaders in which a jar may lie. */
class RegistrationTest {
    private static final ErasureCoderOptions OPTIONS = new ErasureCoderOptions(6, 3);
    private static final String FACTORY = ParitasRSRawErasureCoderFactory.class.getName();
    private static final String OWN_CODEC = ParitasRawErasureCoderFactory.class.getName();
    private static final byte[][] DATA = Stripes.units(6, 1000, Stripes.random("registration"));

    @TempDir
    Path directory;

    @AfterEach
    void restoreContextClassLoader() {
        Thread.currentThread().setContextClassLoader(RegistrationTest.class.getClassLoader());
    }

    @Test
    void theRegistryKnowsOurCoders() {
        assertThat(CodecRegistry.getInstance().getCoderNames("rs")).contains("rs_paritas", "rs_java");
        assertThat(CodecRegistry.getInstance().getCoderNames("xor")).contains("xor_paritas", "xor_java");
        assertThat(CodecRegistry.getInstance().getCoderNames("paritas")).containsExactly("paritas_paritas");
    }

    @Test
    void onePropertyChoosesThem() {
        Configuration configuration = new Configuration();
        configuration.set("io.erasurecode.codec.rs.rawcoders", "rs_paritas,rs_java");
        assertThat(CodecUtil.createRawEncoder(configuration, "rs", OPTIONS)).isInstanceOf(ParitasRawEncoder.class);
        assertThat(CodecUtil.createRawDecoder(configuration, "rs", OPTIONS)).isInstanceOf(ParitasRawDecoder.class);
        configuration.set("io.erasurecode.codec.xor.rawcoders", "xor_paritas,xor_java");
        assertThat(CodecUtil.createRawEncoder(configuration, "xor", new ErasureCoderOptions(2, 1)))
                .isInstanceOf(ParitasRawEncoder.class);
    }

    @Test
    void aCoderThatCannotBeCreatedFallsBack() {
        Configuration configuration = new Configuration();
        configuration.set("io.erasurecode.codec.xor.rawcoders", "xor_paritas,xor_java");
        assertThat(CodecUtil.createRawEncoder(configuration, "xor", new ErasureCoderOptions(4, 2)))
                .isInstanceOf(XORRawEncoder.class);
    }

    /** Spark's --jars: Hadoop lies in a parent class loader that cannot see our jar; and two applications do so. */
    @Test
    void worksFromChildClassLoaders() throws Exception {
        byte[][] expected = new byte[3][1000];
        new RSRawErasureCoderFactory().createEncoder(OPTIONS).encode(DATA, expected);
        try (URLClassLoader hadoop = new URLClassLoader(withoutParitas(), ClassLoader.getPlatformClassLoader());
                URLClassLoader one = new URLClassLoader(new URL[] {paritas()}, hadoop);
                URLClassLoader two = new URLClassLoader(new URL[] {paritas()}, hadoop)) {
            for (URLClassLoader child : List.of(one, two)) {
                Thread.currentThread().setContextClassLoader(child);
                Object factory = child.loadClass(FACTORY).getConstructor().newInstance();
                assertThat(factory.getClass().getClassLoader()).isSameAs(child);
                assertThat(encodeReflectively(factory, hadoop)).isDeepEqualTo(expected);
                assertThat(decodeReflectively(factory, hadoop, expected)).isEqualTo(DATA[0]);
                Object own = child.loadClass(OWN_CODEC).getConstructor().newInstance();
                byte[][] parity = encodeReflectively(own, hadoop);
                assertThat(decodeReflectively(own, hadoop, parity)).isEqualTo(DATA[0]);
            }
        }
    }

    private static byte[][] encodeReflectively(Object factory, ClassLoader hadoop) throws Exception {
        byte[][] parity = new byte[3][1000];
        Object encoder = create(factory, hadoop, "createEncoder");
        assertThat(encoder.getClass().getClassLoader()).isSameAs(hadoop);
        hadoop.loadClass(RawErasureEncoder.class.getName())
                .getMethod("encode", byte[][].class, byte[][].class)
                .invoke(encoder, DATA, parity);
        return parity;
    }

    private static byte[] decodeReflectively(Object factory, ClassLoader hadoop, byte[][] parity) throws Exception {
        byte[][] units = Arrays.copyOf(DATA, 9);
        System.arraycopy(parity, 0, units, 6, 3);
        units[0] = null;
        byte[][] lost = new byte[1][1000];
        hadoop.loadClass(RawErasureDecoder.class.getName())
                .getMethod("decode", byte[][].class, int[].class, byte[][].class)
                .invoke(create(factory, hadoop, "createDecoder"), units, new int[] {0}, lost);
        return lost[0];
    }

    private static Object create(Object factory, ClassLoader hadoop, String method) throws Exception {
        Class<?> options = hadoop.loadClass(ErasureCoderOptions.class.getName());
        return factory.getClass()
                .getMethod(method, options)
                .invoke(factory, options.getConstructor(int.class, int.class).newInstance(6, 3));
    }

    /** Hadoop's registry dies with any factory that fails to load, so ours load even where the rest of the jar is gone. */
    @Test
    void theFactoriesLoadWithoutTheRestOfTheJar() throws Exception {
        Path root = Path.of(paritas().toURI());
        for (String name : List.of(FACTORY, OWN_CODEC, ParitasXORRawErasureCoderFactory.class.getName())) {
            copy(root, name.replace('.', '/') + ".class");
        }
        copy(root, "META-INF/services/" + RawErasureCoderFactory.class.getName());
        try (URLClassLoader hadoop = new URLClassLoader(withoutParitas(), ClassLoader.getPlatformClassLoader());
                URLClassLoader broken =
                        new URLClassLoader(new URL[] {directory.toUri().toURL()}, hadoop)) {
            Class<?> type = hadoop.loadClass(RawErasureCoderFactory.class.getName());
            List<String> names = StreamSupport.stream(
                            ServiceLoader.load(type, broken).spliterator(), false)
                    .map(factory -> factory.getClass().getSimpleName())
                    .toList();
            assertThat(names)
                    .contains(
                            "ParitasRSRawErasureCoderFactory",
                            "ParitasXORRawErasureCoderFactory",
                            "ParitasRawErasureCoderFactory");
            Object factory = broken.loadClass(FACTORY).getConstructor().newInstance();
            assertThatThrownBy(() -> create(factory, hadoop, "createEncoder"))
                    .as("an error that Hadoop falls back from")
                    .hasCauseInstanceOf(LinkageError.class);
        }
    }

    private void copy(Path root, String file) throws IOException {
        Files.createDirectories(directory.resolve(file).getParent());
        Files.copy(root.resolve(file), directory.resolve(file));
    }

    private static URL paritas() {
        return ErasureCode.class.getProtectionDomain().getCodeSource().getLocation();
    }

    private static URL[] withoutParitas() throws IOException {
        String[] entries = System.getProperty("java.class.path").split(File.pathSeparator, -1);
        List<URL> urls = new ArrayList<>();
        for (String entry : entries) {
            URL url = Path.of(entry).toUri().toURL();
            if (!url.equals(paritas()) && !entry.contains("test-classes")) {
                urls.add(url);
            }
        }
        return urls.toArray(URL[]::new);
    }
}
