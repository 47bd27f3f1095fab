/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.spark.ec.LocalSpark;
import io.paritas.spark.ec.WatchedFiles;
import io.paritas.spark.ecrm.client.OutdatedRowException;
import io.paritas.spark.ecrm.protocol.BlockGradient;
import io.paritas.spark.ecrm.protocol.ExpectedRow;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.table.BlockSpec;
import io.paritas.spark.ecrm.table.Initializer;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.table.TableSpec;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Servers in tasks of a local Spark, which has two slots. */
class ParameterServersTest {
    private static ModelSpec model() {
        Initializer zero = new Initializer(0, 0, 0);
        return new ModelSpec(
                2,
                Redundancy.replicated(),
                List.of(new TableSpec(100, 2, new Optimizer.Sgd(1), zero)),
                List.of(new BlockSpec(3, new Optimizer.Sgd(1), zero)));
    }

    @Test
    void readsWhatWasCommitted() throws InterruptedException {
        HostOptions options = HostOptions.DEFAULT.withSpares(0);
        JavaSparkContext spark =
                JavaSparkContext.fromSparkContext(LocalSpark.session().sparkContext());
        try (ParameterServers servers = ParameterServers.start(spark, model(), options, Duration.ofMinutes(1));
                ParameterClient one = ParameterClient.connect(servers.location(), 1);
                ParameterClient two = ParameterClient.connect(servers.location(), 2)) {
            for (int iteration = 1; iteration <= 20; iteration++) {
                ParameterClient client = iteration % 2 == 0 ? one : two;
                client.push(
                        List.of(new RowGradients(0, new long[] {7, 50}, new float[] {-1, -2, -3, -4})),
                        List.of(new BlockGradient(0, new float[] {-5, -6, -7})));
                assertThat(one.pullRows(0, new long[] {50, 8, 7}))
                        .containsExactly(3 * iteration, 4 * iteration, 0, 0, iteration, 2 * iteration);
                assertThat(two.pullBlocks(new int[] {0})).containsExactly(5 * iteration, 6 * iteration, 7 * iteration);
            }
            assertThat(servers.state().isHealthy()).isTrue();
            assertThatThrownBy(() -> one.pullRows(0, new long[] {100}))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("row of table 0 must be 0 to 99, got 100");
        }
    }

    /** In local mode, the JVM goes on. */
    @Test
    @Timeout(120)
    void whoConnectsHearsThatItsThreadHasEnded() throws InterruptedException {
        LocalSpark.session();
        ParameterServers.Location nobody = new ParameterServers.Location(model(), HostOptions.DEFAULT, "localhost:1");
        Thread here = new Thread(() -> endThread("paritas-worker-77"));
        here.start();
        assertThatThrownBy(() -> ParameterClient.connect(nobody, 77))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("paritas-worker-77 must not be closed before it has answered");
        here.join();
    }

    private static void endThread(String name) {
        Optional<Thread> thread = Optional.empty();
        while (thread.isEmpty()) {
            thread = Thread.getAllStackTraces().keySet().stream()
                    .filter(any -> any.getName().equals(name))
                    .findFirst();
        }
        while (thread.get().isAlive()) {
            thread.get().interrupt();
            Thread.onSpinWait();
        }
    }

    /** Row 0 counts batches. A client that was taken for dead comes back and repeats the fifth. */
    @Test
    void eachBatchIsCommittedOnceWhoeverRepeatsIt() throws InterruptedException {
        HostOptions options = HostOptions.DEFAULT.withSpares(0);
        JavaSparkContext spark =
                JavaSparkContext.fromSparkContext(LocalSpark.session().sparkContext());
        try (ParameterServers servers = ParameterServers.start(spark, model(), options, Duration.ofMinutes(1));
                ParameterClient zombie = ParameterClient.connect(servers.location(), 1);
                ParameterClient successor = ParameterClient.connect(servers.location(), 2)) {
            for (int batch = 0; batch < 5; batch++) {
                push(zombie, batch);
            }
            push(successor, 5);
            assertThatThrownBy(() -> push(zombie, 5)).isInstanceOf(OutdatedRowException.class);
            push(successor, 6);
            assertThat(successor.pullRows(0, new long[] {0, 7})).containsExactly(7, 0, 7, 7);
            assertThat(zombie.pullBlocks(new int[] {0})).containsExactly(7, 7, 7);
        }
    }

    /** As those of a task that reads one partition after another: servers took the second one's push for a repetition of the first. */
    @Test
    @Timeout(120)
    void clientsOfOneTaskAreNotTakenForEachOther() throws InterruptedException {
        JavaSparkContext spark =
                JavaSparkContext.fromSparkContext(LocalSpark.session().sparkContext());
        try (ParameterServers servers =
                ParameterServers.start(spark, model(), HostOptions.DEFAULT.withSpares(0), Duration.ofMinutes(1))) {
            for (int batch = 0; batch < 3; batch++) {
                try (ParameterClient client = ParameterClient.connect(servers.location(), 6)) {
                    push(client, batch);
                    assertThat(client.pullRows(0, new long[] {0})).containsExactly(batch + 1, 0);
                }
            }
        }
    }

    private static void push(ParameterClient client, int batch) throws InterruptedException {
        client.push(
                List.of(new RowGradients(0, new long[] {0, 7}, new float[] {-1, 0, -1, -1})),
                List.of(new BlockGradient(0, new float[] {-1, -1, -1})),
                List.of(new ExpectedRow(0, 0, new float[] {batch, 0})));
    }

    /** As that of a task that is killed. */
    @Test
    void aClientThatIsInterruptedWhileItConnectsLeavesNothing() {
        LocalSpark.session();
        ParameterServers.Location nowhere = new ParameterServers.Location(model(), HostOptions.DEFAULT, "127.0.0.1:1");
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> ParameterClient.connect(nowhere, 77)).isInstanceOf(InterruptedException.class);
        assertThat(running("paritas-worker-77")).isEmpty();
    }

    /** Such as one of a training that was cancelled, whose servers are gone: it waited for ever, and kept its slot. */
    @Test
    @Timeout(120)
    void aTaskThatIsCancelledWaitsNoLonger() throws InterruptedException {
        JavaSparkContext spark =
                JavaSparkContext.fromSparkContext(LocalSpark.session().sparkContext());
        ParameterServers.Location nowhere = new ParameterServers.Location(model(), HostOptions.DEFAULT, "127.0.0.1:1");
        JavaFutureAction<Void> job = spark.parallelize(List.of(78), 1)
                .foreachPartitionAsync(worker ->
                        ParameterClient.connect(nowhere, worker.next()).close());
        while (running("paritas-worker-78").isEmpty()) {
            Thread.sleep(10);
        }
        job.cancel(true);
        while (!running("paritas-worker-78").isEmpty()) {
            Thread.sleep(10);
        }
    }

    @Test
    @Timeout(120)
    void whatIsClosedRefusesCalls(@TempDir Path folder) throws InterruptedException {
        JavaSparkContext spark =
                JavaSparkContext.fromSparkContext(LocalSpark.session().sparkContext());
        ParameterServers servers =
                ParameterServers.start(spark, model(), HostOptions.DEFAULT.withSpares(0), Duration.ofMinutes(1));
        ParameterClient client = ParameterClient.connect(servers.location(), 1);
        client.close();
        assertThatThrownBy(() -> client.pullBlocks(new int[] {0}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("paritas-worker-1 must not be closed before it has answered: close it after the last call");
        servers.close();
        assertThatThrownBy(() -> servers.checkpoint(folder.toUri().toString(), 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("paritas-supervisor must not be closed before it has answered: close it after the last"
                        + " call");
        requireOnlyTheMark(folder);
    }

    /** Of a checkpoint that could not be written. */
    private static void requireOnlyTheMark(Path folder) {
        assertThat(folder.resolve("checkpoint-00000001").toFile().list((in, name) -> !name.startsWith(".")))
                .singleElement()
                .asString()
                .startsWith("_writer-");
    }

    @Test
    void aCheckpointIsWrittenAlsoWhereOldOnesCannotBeDeleted(@TempDir Path folder) throws Exception {
        JavaSparkContext spark =
                JavaSparkContext.fromSparkContext(LocalSpark.session().sparkContext());
        spark.hadoopConfiguration().setClass("fs.lasting.impl", LastingFiles.class, FileSystem.class);
        try (ParameterServers servers =
                ParameterServers.start(spark, model(), HostOptions.DEFAULT.withSpares(0), Duration.ofMinutes(1))) {
            assertThat(servers.checkpoint("lasting:" + folder, 1)).isEqualTo(1);
            assertThat(servers.checkpoint("lasting:" + folder, 1)).isEqualTo(2);
            assertThat(folder.toFile().list()).hasSize(2);
            assertThat(servers.checkpoint(folder.toUri().toString(), 1)).isEqualTo(3);
            assertThat(folder.toFile().list()).hasSize(1);
        }
    }

    @Test
    void whatServersCannotWriteIsAnErrorOfTheFolder(@TempDir Path folder) throws Exception {
        JavaSparkContext spark =
                JavaSparkContext.fromSparkContext(LocalSpark.session().sparkContext());
        WatchedFiles.watch(
                spark.hadoopConfiguration(),
                (what, path) -> !what.equals("create") || !path.getName().startsWith("server-"));
        try (ParameterServers servers =
                ParameterServers.start(spark, model(), HostOptions.DEFAULT.withSpares(0), Duration.ofMinutes(1))) {
            assertThatThrownBy(() -> servers.checkpoint("watched:" + folder, 1))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("cannot write the checkpoint in watched:" + folder
                            + ", earlier ones are unchanged: java.io.IOException: nobody may create")
                    .hasMessageContaining("server-0000");
            requireOnlyTheMark(folder);
        }
    }

    /** As of a notebook, which sets what its file system needs after Spark has started. */
    @Test
    void serversHaveTheFileSystemsOfTheDriver(@TempDir Path folder) throws Exception {
        JavaSparkContext spark =
                JavaSparkContext.fromSparkContext(LocalSpark.session().sparkContext());
        spark.hadoopConfiguration().setClass("fs.notebook.impl", NotebookFiles.class, FileSystem.class);
        // Servers of a local Spark would find the driver's there.
        spark.hadoopConfiguration().setBoolean("fs.notebook.impl.disable.cache", true);
        HostOptions options = HostOptions.DEFAULT.withSpares(0);
        String files = "notebook:" + folder;
        try (ParameterServers servers = ParameterServers.start(spark, model(), options, Duration.ofMinutes(1));
                ParameterClient client = ParameterClient.connect(servers.location(), 4)) {
            push(client, 0);
            assertThat(servers.checkpoint(files, 1)).isEqualTo(1);
        }
        try (ParameterServers servers =
                        ParameterServers.restore(spark, model(), options, Duration.ofMinutes(1), files);
                ParameterClient client = ParameterClient.connect(servers.location(), 5)) {
            assertThat(client.pullRows(0, new long[] {0, 7})).containsExactly(1, 0, 1, 1);
        }
    }

    /** Files that only a driver's configuration knows. */
    static final class NotebookFiles extends RawLocalFileSystem {
        @Override
        public URI getUri() {
            return URI.create("notebook:///");
        }
    }

    /** As while a name node fails over. */
    @Test
    void whatCannotBeDeletedDoesNotHideWhyNoCheckpointIsWritten(@TempDir Path folder) throws Exception {
        JavaSparkContext spark =
                JavaSparkContext.fromSparkContext(LocalSpark.session().sparkContext());
        spark.hadoopConfiguration().setClass("fs.lasting.impl", LastingFiles.class, FileSystem.class);
        try (ParameterServers servers =
                ParameterServers.start(spark, model(), HostOptions.DEFAULT.withSpares(0), Duration.ofMinutes(1))) {
            servers.close();
            assertThatThrownBy(() -> servers.checkpoint("lasting:" + folder, 1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("paritas-supervisor must not be closed before it has answered");
        }
    }

    /** Files that nobody may delete. */
    static final class LastingFiles extends RawLocalFileSystem {
        @Override
        public URI getUri() {
            return URI.create("lasting:///");
        }

        @Override
        public boolean delete(org.apache.hadoop.fs.Path path, boolean recursive) throws IOException {
            throw new IOException("nobody may delete " + path);
        }
    }

    /** As a notebook does with a step that takes too long. */
    @Test
    void aCancelledGroupOfJobsDoesNotEndServers() throws InterruptedException {
        JavaSparkContext spark =
                JavaSparkContext.fromSparkContext(LocalSpark.session().sparkContext());
        spark.setJobGroup("step", "the step that starts them", true);
        try (ParameterServers servers = ParameterServers.start(
                        spark, model(), HostOptions.DEFAULT.withSpares(0), Duration.ofMinutes(1));
                ParameterClient client = ParameterClient.connect(servers.location(), 3)) {
            spark.clearJobGroup();
            spark.cancelJobGroup("step");
            Thread.sleep(1000);
            assertThat(servers.state().replaced()).isZero();
            assertThat(client.pullRows(0, new long[] {7})).containsExactly(0, 0);
        }
    }

    @Test
    void copiesOfServersAreRefused() {
        SparkSession session = LocalSpark.session();
        JavaSparkContext spark = JavaSparkContext.fromSparkContext(session.sparkContext());
        Map<String, String> settings =
                Map.of("spark.speculation", "true", "spark.speculation.task.duration.threshold", "10s");
        settings.forEach(spark.sc().conf()::set);
        try {
            assertThatThrownBy(() -> ParameterServers.start(spark, model(), HostOptions.DEFAULT, Duration.ofMinutes(1)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("spark.speculation and ");
        } finally {
            settings.keySet().forEach(spark.sc().conf()::remove);
        }
    }

    /** Nobody kills the tasks of a local application that ends. */
    @Test
    void serversEndWithTheirApplication() throws InterruptedException {
        HostOptions options = HostOptions.DEFAULT.withSpares(0);
        awaitServers(0);
        SparkSession session = LocalSpark.session();
        JavaSparkContext spark = JavaSparkContext.fromSparkContext(session.sparkContext());
        try (ParameterServers servers = ParameterServers.start(spark, model(), options, Duration.ofMinutes(1));
                ParameterClient client = ParameterClient.connect(servers.location(), 6)) {
            assertThat(servers.state().isHealthy()).isTrue();
            awaitServers(2);
            session.stop();
            awaitServers(0);
            assertThatThrownBy(() -> client.pullRows(0, new long[] {7}))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("the application has ended, and its parameter servers with it");
        }
    }

    /** Here while a spare waits for a slot. */
    @Test
    @Timeout(120)
    void nobodyWaitsForServersOfAnApplicationThatHasEnded() throws InterruptedException {
        awaitServers(0);
        SparkSession session = LocalSpark.session();
        JavaSparkContext spark = JavaSparkContext.fromSparkContext(session.sparkContext());
        CompletableFuture<ParameterServers> starting = CompletableFuture.supplyAsync(() -> {
            try {
                return ParameterServers.start(
                        spark, model(), HostOptions.DEFAULT.withSpares(1), Duration.ofMinutes(10));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        awaitServers(2);
        session.stop();
        assertThatThrownBy(starting::join)
                .rootCause()
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the application has ended before its parameter servers were up");
    }

    private static void awaitServers(int count) throws InterruptedException {
        for (int wait = 0; wait < 200 && running("paritas-server-[0-9]+").size() != count; wait++) {
            Thread.sleep(50);
        }
        assertThat(running("paritas-server-[0-9]+")).hasSize(count);
    }

    /** Returns the threads of this JVM with such names. */
    private static List<String> running(String names) {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.matches(names))
                .toList();
    }
}
