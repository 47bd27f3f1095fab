/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.Limits;
import io.paritas.inference.serving.grpc.messages.ModelInferRequest;
import io.paritas.inference.serving.http.HttpOptions;
import io.paritas.inference.serving.http.LocalInstances;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client in another language, on another implementation of gRPC. */
class PythonClientTest {
    /* Debian's own comes first: its packages are not those of another Python. */
    private static final List<String> PYTHONS = List.of("/usr/bin/python3", "python3");

    @TempDir
    private Path folder;

    @Test
    void itIsAnswered() throws Exception {
        String python = PYTHONS.stream().filter(this::hasGrpc).findFirst().orElse("");
        assumeTrue(!python.isEmpty(), "there is no Python with grpcio and protobuf, on Debian python3-grpcio");
        Path script = folder.resolve("client.py");
        try (InputStream in = getClass().getResourceAsStream("client.py")) {
            Files.copy(in, script);
        }
        Path descriptors = Files.write(
                folder.resolve("descriptors"),
                FileDescriptorSet.newBuilder()
                        .addFile(ModelInferRequest.getDescriptor().getFile().toProto())
                        .build()
                        .toByteArray());
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (FrontEnd frontEnd = new FrontEnd();
                GrpcServer server = new GrpcServer(frontEnd, HttpOptions.DEFAULT.withToken("s3cret"))) {
            new LocalInstances(frontEnd, thread).serve("1", Limits.DEFAULT.withDeadline(Duration.ofMinutes(1)), 2);

            String out = run(List.of(python, script.toString(), server.target(), descriptors.toString(), "s3cret"));

            // On a busy machine the parity model may be done first; the model is linear, so the values are the same.
            assertThat(out.replace(" reconstructed ", " predicted ").lines())
                    .containsExactly(
                            "live True", "metadata input [-1, 3]", line(1), "UNAUTHENTICATED", line(2), line(3));
        } finally {
            thread.shutdownNow();
        }
    }

    /* Of a linear model whose values are whole. */
    private static String line(int number) {
        float[] values = LocalInstances.MODEL.predict(new float[] {number, 2, 3});
        return number + " predicted " + values[0] + " " + values[1];
    }

    private boolean hasGrpc(String python) {
        try {
            return run(List.of(python, "-c", "import grpc, google.protobuf; print('yes')"))
                    .startsWith("yes");
        } catch (IOException | InterruptedException e) {
            return false; // no such program
        }
    }

    private String run(List<String> command) throws IOException, InterruptedException {
        File out = folder.resolve("out").toFile();
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(out)
                .start();
        try {
            assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        try (Stream<String> lines = Files.lines(out.toPath())) {
            return String.join("\n", lines.toList());
        }
    }
}
