/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.Limits;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/**
 * Triton's own client for Java, as org.wyona.triton.client:java-api:0.0.1 has it on Maven Central. That jar has copies of Guava, Jackson and
 * others, so it has a class loader of its own and is on no class path.
 */
class TritonJavaClientTest {
    private static final String JAR = System.getProperty(
            "paritas.triton.client",
            System.getProperty("user.home")
                    + "/.m2/repository/org/wyona/triton/client/java-api/0.0.1/java-api-0.0.1.jar");
    private static final int MILLIS = 60_000;

    private static Object infer(ClassLoader loader, String url, String model, boolean binary) throws Exception {
        Class<?> type = loader.loadClass("triton.client.pojo.DataType");
        Class<?> input = loader.loadClass("triton.client.InferInput");
        Class<?> output = loader.loadClass("triton.client.InferRequestedOutput");
        Class<?> client = loader.loadClass("triton.client.InferenceServerClient");
        Object rows = input.getConstructor(String.class, long[].class, type)
                .newInstance("input", new long[] {2, 3}, type.getField("FP32").get(null));
        input.getMethod("setData", float[].class, boolean.class).invoke(rows, new float[] {1, 2, 3, 4, 5, 6}, binary);
        Object wanted = output.getConstructor(String.class, boolean.class).newInstance("output", binary);
        try (AutoCloseable caller = (AutoCloseable)
                client.getConstructor(String.class, int.class, int.class).newInstance(url, MILLIS, MILLIS)) {
            Method infer = client.getMethod("infer", String.class, List.class, List.class);
            return infer.invoke(caller, model, List.of(rows), List.of(wanted));
        }
    }

    @Test
    void itIsAnswered() throws Exception {
        assumeTrue(
                Files.exists(Path.of(JAR)),
                "Triton's client is not there: mvn dependency:get -Dartifact=org.wyona.triton.client:java-api:0.0.1,"
                        + " or name the jar with -Dparitas.triton.client");
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (FrontEnd frontEnd = new FrontEnd();
                HttpServer server = new HttpServer(frontEnd, HttpOptions.DEFAULT);
                URLClassLoader loader = new URLClassLoader(
                        new URL[] {Path.of(JAR).toUri().toURL()}, ClassLoader.getPlatformClassLoader())) {
            new LocalInstances(frontEnd, thread).serve("1", Limits.DEFAULT.withDeadline(Duration.ofMinutes(1)), 2);
            String url = URI.create(server.url()).getAuthority();
            float[] first = LocalInstances.MODEL.predict(new float[] {1, 2, 3});
            float[] second = LocalInstances.MODEL.predict(new float[] {4, 5, 6});
            float[] all = {first[0], first[1], second[0], second[1]};

            for (boolean binary : new boolean[] {true, false}) {
                Object result = infer(loader, url, "linear", binary);
                assertThat((float[]) result.getClass()
                                .getMethod("getOutputAsFloat", String.class)
                                .invoke(result, "output"))
                        .as("binary %s", binary)
                        .containsExactly(all);
            }
            assertThatThrownBy(() -> infer(loader, url, "none", true))
                    .isInstanceOf(InvocationTargetException.class)
                    .cause()
                    .hasMessageContaining("there is no model 'none'");
        } finally {
            thread.shutdownNow();
        }
    }
}
