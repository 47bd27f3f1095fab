/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.serving.trace.Collector;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The one jar for Spark, which the profile release makes: classes of others have other names in it, and all of them must be there. */
class BundleIT {
    private static final Path BUNDLE = Path.of(System.getProperty("paritas.bundle"));

    private static final Path SPARK = Path.of(System.getProperty("paritas.spark.jars"));

    /**
     * LibTorch comes in an archive of its own; grpc-protobuf has details of errors, which no protocol of ours sends; OpenTelemetry can
     * configure itself and has previews, which are not used.
     */
    private static final String ABSENT = ".* -> (org\\.bytedeco|com\\.google\\.rpc|com\\.google\\.auto\\.value"
            + "|io\\.paritas\\.shaded\\.opentelemetry\\.(api\\.incubator|sdk\\.autoconfigure|sdk\\.OpenTelemetrySdk))\\b.*";

    @Test
    void whateverItRefersToIsInItOrInSpark() throws IOException {
        StringWriter output = new StringWriter();
        int status = ToolProvider.findFirst("jdeps")
                .orElseThrow()
                .run(
                        new PrintWriter(output),
                        new PrintWriter(output),
                        "--multi-release=base",
                        "--missing-deps",
                        "--class-path=" + spark(),
                        BUNDLE.toString());

        assertThat(status).as("%s", output).isZero();
        assertThat(output.toString().lines().skip(1))
                .anyMatch(line -> line.matches(ABSENT))
                .allMatch(line -> line.matches(ABSENT));
    }

    private static String spark() throws IOException {
        try (Stream<Path> jars = Files.list(SPARK)) {
            return jars.map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        }
    }

    @Test
    void everyServiceIsInIt() throws IOException {
        try (JarFile bundle = new JarFile(BUNDLE.toFile())) {
            List<String> providers = new ArrayList<>();
            for (JarEntry entry : Collections.list(bundle.entries())) {
                if (entry.getName().matches("META-INF/services/.+")) {
                    new String(bundle.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8)
                            .lines()
                            .filter(line -> !line.isBlank() && !line.startsWith("#"))
                            .forEach(providers::add);
                }
            }

            assertThat(providers).contains("io.paritas.shaded.grpc.netty.NettyServerProvider");
            assertThat(providers)
                    .extracting(provider -> provider.replace('.', '/') + ".class")
                    .allMatch(name -> bundle.getEntry(name) != null);
        }
    }

    /** With nothing beside it: OpenTelemetry's classes have other names there, and find their services by them. */
    @Test
    void tracesAreSentByItAlone() throws Exception {
        try (Collector collector = new Collector();
                URLClassLoader alone =
                        new URLClassLoader(new URL[] {BUNDLE.toUri().toURL()}, ClassLoader.getPlatformClassLoader())) {
            String trace = "io.paritas.inference.serving.trace.";
            Class<?> options = alone.loadClass(trace + "TraceOptions");
            Class<?> type = alone.loadClass(trace + "Traces");
            Object on = options.getConstructor(String.class, double.class).newInstance(collector.endpoint(), 1.0);
            UnaryOperator<String> headers = name -> null;
            try (AutoCloseable traces =
                    (AutoCloseable) type.getMethod("of", options).invoke(null, on)) {
                Object span = type.getMethod("begin", String.class, UnaryOperator.class)
                        .invoke(traces, "infer digits", headers);
                span.getClass().getMethod("end", long.class).invoke(span, System.nanoTime());
            }

            assertThat(collector.await("infer digits")).contains("paritas");
        }
    }
}
