/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paritas.inference.TensorSpec;
import io.paritas.inference.recommend.LocalSpark;
import io.paritas.inference.serving.Limits;
import io.paritas.inference.serving.Policy;
import io.paritas.inference.serving.ServedModel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CodedClientTest {
    private static final ServedModel MODEL = new ServedModel(
            "linear",
            "1",
            new TensorSpec("input", List.of(3)),
            new TensorSpec("output", List.of(2)),
            new Policy.Uncoded(),
            Limits.DEFAULT);

    /** Spark tries a failed task again, on the same executor. */
    @Test
    void aClientThatDoesNotReachTheDriverLeavesNoThread() throws Exception {
        LocalSpark.session();
        long before = threads();
        ServingHandle nobody = new ServingHandle(MODEL, "127.0.0.1", unusedPort());

        for (int attempt = 0; attempt < 4; attempt++) {
            assertThatExceptionOfType(UncheckedIOException.class)
                    .isThrownBy(() -> CodedClient.open(nobody))
                    .withMessageStartingWith("the driver at 127.0.0.1:" + nobody.port()
                            + " does not list the instances of linear, version 1: ");
        }

        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (threads() > before && System.nanoTime() < end) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
        assertThat(threads()).isLessThanOrEqualTo(before);
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("paritas-client"))
                .count();
    }

    private static int unusedPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
