/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.Limits;
import io.paritas.inference.serving.http.HttpOptions;
import io.paritas.inference.serving.http.LocalInstances;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client in JavaScript, whose own generator and own implementation of gRPC read the protocol's file. */
class NodeClientTest {
    private static final String MODULES = System.getProperty("paritas.node.modules", "");

    @TempDir
    private Path folder;

    @Test
    void itIsAnswered() throws Exception {
        assumeTrue(
                !MODULES.isEmpty() && Files.isDirectory(Path.of(MODULES, "@grpc", "grpc-js")),
                "there is no gRPC for Node: npm install --prefix DIR @grpc/grpc-js @grpc/proto-loader, and"
                        + " -Dparitas.node.modules=DIR/node_modules");
        Path script = folder.resolve("client.js");
        try (InputStream in = getClass().getResourceAsStream("client.js")) {
            Files.copy(in, script);
        }
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (FrontEnd frontEnd = new FrontEnd();
                GrpcServer server = new GrpcServer(frontEnd, HttpOptions.DEFAULT.withToken("s3cret"))) {
            new LocalInstances(frontEnd, thread).serve("1", Limits.DEFAULT.withDeadline(Duration.ofMinutes(1)), 2);

            String out = run(List.of("node", script.toString(), server.target(), "src/main/protobuf", "s3cret"));

            // On a busy machine the parity model may be done first; the model is linear, so the values are the same.
            assertThat(out.replace(" reconstructed ", " predicted ").lines())
                    .containsExactly("live true", "metadata input -1,3", line(1), "UNAUTHENTICATED", line(2));
        } finally {
            thread.shutdownNow();
        }
    }

    /* JavaScript writes whole numbers without a point, and the values are whole. */
    private static String line(int number) {
        float[] values = LocalInstances.MODEL.predict(new float[] {number, 2, 3});
        return number + " predicted " + (int) values[0] + " " + (int) values[1];
    }

    private String run(List<String> command) throws IOException, InterruptedException {
        Path out = folder.resolve("out");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile());
        builder.environment().put("NODE_PATH", MODULES);
        Process process = builder.start();
        try {
            assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        return Files.readString(out);
    }
}
