/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.paritas.inference.ModelException;
import io.paritas.inference.Protection;
import io.paritas.inference.graph.RawGraph;
import io.paritas.inference.graph.TestGraphs;
import io.paritas.inference.recommend.LocalSpark;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ModelsTest {
    /** The driver only learns what the model is; its own processor cannot protect products of two values. */
    @Test
    void whatAGpuProtectsIsLoadedWithoutProtection(@TempDir Path folder) {
        Path gate = folder.resolve("gate.onnx");
        RawGraph.of(3)
                .node("Sigmoid", "open", "input")
                .node("Mul", "out", "input", "open")
                .build()
                .toModelFile()
                .write(gate);
        Protection global = Protection.of(Protection.Mode.GLOBAL);
        Options onGpus = Options.of(Map.of("device", "cuda"), Map.of());
        assertThat(Models.deployed(gate.toString(), onGpus, global).output().size())
                .isEqualTo(3);
        Options onCpus = Options.of(Map.of("device", "cpu"), Map.of());
        assertThatThrownBy(() -> Models.deployed(gate.toString(), onCpus, global))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining("in a protected network, Mul 'out' must have one constant for all values");
    }

    @Test
    void whatNoGpuProtectsByIsRefusedWhenTheQueryIsPlanned(@TempDir Path folder) {
        Path file = folder.resolve("small.onnx");
        TestGraphs.small(1).toModelFile().write(file);
        Protection weighted = Protection.of(Protection.Mode.WEIGHTED);
        Options onGpus = Options.of(Map.of("device", "cuda"), Map.of());
        assertThatThrownBy(() -> Models.deployed(file.toString(), onGpus, weighted))
                .isInstanceOf(ModelException.class)
                .hasMessage("GPUs protect by global, thread or guided, weighted was asked for: choose another, or the"
                        + " engine 'protected' on the CPU");
        Options onCpus = Options.of(Map.of("device", "cpu"), Map.of());
        assertThat(Models.deployed(file.toString(), onCpus, weighted).output().size())
                .isEqualTo(3);
    }

    @Test
    void takesPathsAsHadoopDoes(@TempDir Path folder) throws IOException {
        Path spaced = Files.createFile(folder.resolve("a b.onnx"));
        Path escaped = Files.createFile(folder.resolve("a%20c.onnx"));
        assertThat(Models.local("file:" + spaced)).isEqualTo(spaced);
        assertThat(Models.local("file://" + spaced)).isEqualTo(spaced);
        assertThat(Models.local("file://" + folder + "/a%20b.onnx"))
                .as("an escape")
                .isEqualTo(spaced);
        assertThat(Models.local("file://" + escaped))
                .as("a name that looks like one")
                .isEqualTo(escaped);
        assertThat(Models.local(spaced.toString())).isEqualTo(spaced);
    }

    /** Others may use the machine, and not the file system that the model is from. */
    @Test
    void onlyItsOwnerReadsAFetchedModel() throws IOException {
        LocalSpark.session();
        HttpServer remote = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        remote.createContext("/model.onnx", exchange -> {
            exchange.sendResponseHeaders(200, 1);
            exchange.getResponseBody().write(7);
            exchange.close();
        });
        remote.start();
        try {
            Path file = Models.local("http://127.0.0.1:" + remote.getAddress().getPort() + "/model.onnx");

            assertThat(file).hasBinaryContent(new byte[] {7});
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
                    .isEqualTo("rwx------");
        } finally {
            remote.stop(0);
        }
    }
}
