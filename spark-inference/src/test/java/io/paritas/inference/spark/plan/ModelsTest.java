/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.Protection;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.graph.RawGraph;
import io.paritas.inference.graph.TestGraphs;
import io.paritas.inference.protect.Planner;
import io.paritas.inference.recommend.LocalSpark;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
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
        Options onGpus = Options.of(Kind.PLAIN, Map.of("device", "cuda"), Map.of());
        assertThat(Models.deployed(gate.toString(), onGpus, global).output().size())
                .isEqualTo(3);
        Options onCpus = Options.of(Kind.PLAIN, Map.of("device", "cpu"), Map.of());
        assertThatThrownBy(() -> Models.deployed(gate.toString(), onCpus, global))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining("in a protected network, Mul 'out' must have one constant for all values");
    }

    @Test
    void whatNoGpuProtectsByIsRefusedWhenTheQueryIsPlanned(@TempDir Path folder) {
        Path file = folder.resolve("small.onnx");
        TestGraphs.small(1).toModelFile().write(file);
        Protection weighted = Protection.of(Protection.Mode.WEIGHTED);
        Options onGpus = Options.of(Kind.PLAIN, Map.of("device", "cuda"), Map.of());
        assertThatThrownBy(() -> Models.deployed(file.toString(), onGpus, weighted))
                .isInstanceOf(ModelException.class)
                .hasMessage("GPUs protect by global, thread or guided, weighted was asked for: choose another, or the"
                        + " engine 'protected' on the CPU");
        Options onCpus = Options.of(Kind.PLAIN, Map.of("device", "cpu"), Map.of());
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

    @Test
    void aPathWithABlankWhoseFileIsNotThereIsAbsolute(@TempDir Path folder) {
        assertThat(Models.local("file:" + folder + "/my models/100%.onnx"))
                .isEqualTo(folder.resolve("my models/100%.onnx"));
        assertThat(Models.local("file:" + folder + "/a#1/b%20c.onnx")).isEqualTo(folder.resolve("a#1/b%20c.onnx"));
    }

    @Test
    void fetchesPathsAsHadoopDoes(@TempDir Path folder) throws IOException {
        LocalSpark.session()
                .sparkContext()
                .hadoopConfiguration()
                .set("fs.viewfs.mounttable.models.link./m", folder.toUri().toString());
        String mount = "viewfs://models/m/";
        Files.createDirectory(folder.resolve("my models #1"));
        for (String name :
                List.of("a b.onnx", "100%.onnx", "a%20c.onnx", "a#1.onnx", "a?b=1.onnx", "my models #1/base.onnx")) {
            Path file = Files.writeString(folder.resolve(name), name);
            assertThat(Models.local(mount + name))
                    .hasContent(name)
                    .hasFileName(file.getFileName().toString());
        }
        assertThat(Models.local(mount + "my models #1").resolve("base.onnx"))
                .as("a folder")
                .hasContent("my models #1/base.onnx");
        assertThat(Models.local(mount + "a%20b.onnx")).as("an escape").hasContent("a b.onnx");
        assertThat(Models.local(mount + "my%20models%20%231/base.onnx"))
                .as("escapes")
                .hasContent("my models #1/base.onnx");
        assertThatThrownBy(() -> Models.local(mount + "not there %.onnx"))
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith("the model '" + mount + "not there %.onnx' cannot be fetched: File ")
                .hasMessageContaining("not there %.onnx");
    }

    /** As editors of Windows save it. */
    @Test
    void aPlanMayBeginWithAByteOrderMark(@TempDir Path folder) throws IOException {
        String plan = Planner.plan(TestGraphs.small(1).toModelFile(), 8, Duration.ofMillis(5))
                .json();
        Path file = Files.writeString(folder.resolve("plan.json"), "\uFEFF" + plan);
        assertThat(Models.protectionPlan(file.toString())).isEqualTo(plan);
    }

    @Test
    void aPlanThatIsNotUtf8IsRefusedAsSuch(@TempDir Path folder) throws IOException {
        Path file =
                Files.writeString(folder.resolve("plan.json"), "{\"model\" : \"Müller\"}", StandardCharsets.ISO_8859_1);
        assertThatThrownBy(() -> Models.protectionPlan(file.toString()))
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith("a protection plan must be JSON as bin/paritas protect plan writes it, this one"
                        + " cannot be read: Invalid UTF-8 start byte 0xfc");
    }

    /** As by systemd-tmpfiles, after ten days. */
    @Test
    void aFetchedModelThatWasRemovedIsFetchedAgain() throws IOException {
        LocalSpark.session();
        AtomicInteger fetched = new AtomicInteger();
        HttpServer remote = remote("/again.onnx", fetched::incrementAndGet);
        try {
            String path = "http://127.0.0.1:" + remote.getAddress().getPort() + "/again.onnx";
            Path first = Models.local(path);
            assertThat(Models.local(path)).isEqualTo(first).hasBinaryContent(new byte[] {1});
            Files.delete(first);
            Files.delete(first.getParent());
            assertThat(Models.local(path)).isNotEqualTo(first).hasBinaryContent(new byte[] {2});
        } finally {
            remote.stop(0);
        }
    }

    /** All of their files may be there: only the descriptor would be fetched. */
    @Test
    void whatIsSeveralFilesIsNotFetchedFromAUrl() {
        String several = "parity models, learned codes, folded networks and cascades are several files, and by http:"
                + " single ones are fetched, got '%s': put their folder on a file system, such as hdfs:, s3a: or file:";
        for (String path : List.of("http://127.0.0.1:1/parity", "http://127.0.0.1:1/parity.json")) {
            assertThatThrownBy(() -> Models.parity(path, "http://127.0.0.1:1/model.onnx"))
                    .isInstanceOf(ModelException.class)
                    .hasMessage(several, path);
            assertThatThrownBy(() -> Models.cascade(path))
                    .isInstanceOf(ModelException.class)
                    .hasMessage(several, path);
            assertThatThrownBy(() -> Models.folded(path))
                    .isInstanceOf(ModelException.class)
                    .hasMessage(several, path);
        }
    }

    @Test
    void aUrlWithoutAFileIsToldAsSuch() throws IOException {
        LocalSpark.session();
        HttpServer remote = remote("/model.onnx", () -> 7);
        try {
            String none = "http://127.0.0.1:" + remote.getAddress().getPort() + "/none.onnx";
            assertThatThrownBy(() -> Models.local(none))
                    .isInstanceOf(ModelException.class)
                    .hasMessage("the model '" + none + "' cannot be fetched: there is no such file, " + none);
        } finally {
            remote.stop(0);
        }
    }

    /** One file of a byte. */
    private static HttpServer remote(String path, IntSupplier content) throws IOException {
        HttpServer remote = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        remote.createContext(path, exchange -> {
            exchange.sendResponseHeaders(200, 1);
            exchange.getResponseBody().write(content.getAsInt());
            exchange.close();
        });
        remote.start();
        return remote;
    }

    /** As a driver reads it that lives for weeks, whose model is trained again each hour. */
    @Test
    void aModelIsReadOnceForAllOptionsAndItsFormerVersionIsForgotten(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("small.onnx");
        TestGraphs.small(1).toModelFile().write(file);
        Options plain = Options.of(Kind.PLAIN, Map.of("device", "cpu"), Map.of());
        Options protectedLayers = Options.of(Kind.PLAIN, Map.of("device", "cpu", "engine", "protected"), Map.of());
        Protection off = Protection.OFF;
        WeakReference<ModelFile> former =
                new WeakReference<>(Models.deployed(file.toString(), plain, off).file());
        assertThat(Models.deployed(file.toString(), protectedLayers, off).file())
                .isSameAs(former.get());

        TestGraphs.small(2).toModelFile().write(file);
        Files.setLastModifiedTime(file, FileTime.fromMillis(1));
        ModelFile next = Models.deployed(file.toString(), plain, off).file();
        assertThat(Models.deployed(file.toString(), protectedLayers, off).file())
                .isSameAs(next);
        while (former.get() != null) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    /** Spark checks a query many times. */
    @Test
    void aQueryMayHaveManyModels(@TempDir Path folder) {
        Options options = Options.of(Kind.PLAIN, Map.of("device", "cpu"), Map.of());
        List<String> paths = new ArrayList<>();
        for (int seed = 0; seed < 80; seed++) {
            Path file = folder.resolve("small" + seed + ".onnx");
            TestGraphs.small(seed).toModelFile().write(file);
            paths.add(file.toString());
        }
        List<TensorSpec> loaded = paths.stream()
                .map(path -> Models.deployed(path, options, Protection.OFF).input())
                .toList();
        for (int i = 0; i < paths.size(); i++) {
            assertThat(Models.deployed(paths.get(i), options, Protection.OFF).input())
                    .as("of model %d, which is not loaded again", i)
                    .isSameAs(loaded.get(i));
        }
        List<ModelFile> read = paths.stream()
                .limit(40)
                .map(path -> Models.deployed(path, options, Protection.OFF).file())
                .toList();
        for (int i = 0; i < read.size(); i++) {
            assertThat(Models.deployed(paths.get(i), options, Protection.OFF).file())
                    .as("the file of model %d", i)
                    .isSameAs(read.get(i));
        }
    }

    /** As all files of an image or an archive may have one time of change. */
    @Test
    void aLinkThatLeadsToAnotherModelIsReadAgain(@TempDir Path folder) throws Exception {
        Path link = folder.resolve("current");
        Options options = Options.of(Kind.PLAIN, Map.of("device", "cpu"), Map.of());
        List<String> read = new ArrayList<>();
        List<String> there = new ArrayList<>();
        for (int seed = 1; seed <= 2; seed++) {
            Path file = Files.createDirectory(folder.resolve("v" + seed)).resolve("small.onnx");
            ModelFile model = TestGraphs.small(seed).toModelFile();
            model.write(file);
            Files.setLastModifiedTime(file, FileTime.fromMillis(0));
            Files.deleteIfExists(link);
            Files.createSymbolicLink(link, file.getParent());
            there.add(model.sha256());
            read.add(Models.deployed(link.resolve("small.onnx").toString(), options, Protection.OFF)
                    .file()
                    .sha256());
        }
        assertThat(read).isEqualTo(there).doesNotHaveDuplicates();
    }

    /** Others may use the machine, and not the file system that the model is from. */
    @Test
    void onlyItsOwnerReadsAFetchedModel() throws IOException {
        LocalSpark.session();
        HttpServer remote = remote("/model.onnx", () -> 7);
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
