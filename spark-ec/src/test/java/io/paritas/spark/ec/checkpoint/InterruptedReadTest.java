/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.erasure.Erasures;
import io.paritas.erasure.file.UnitGroup;
import io.paritas.spark.ec.LocalSpark;
import io.paritas.spark.ec.WatchedFiles;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskContext$;
import org.apache.spark.TaskContextImpl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads that are interrupted while they read a sound checkpoint, as Hadoop's file systems tell them: some clear the flag. */
class InterruptedReadTest {
    @TempDir
    private Path home;

    private List<String> names;
    private UnitFileLayout layout;
    private Part part;
    private Configuration hadoop;
    private Storage storage;

    @BeforeEach
    void write() throws IOException {
        Sample sample = Sample.written(home, "rs-3-2", Sample.rows(30));
        names = sample.names().stream().map(name -> "watched:" + name).toList();
        layout = sample.manifest().layout(names);
        part = sample.manifest().parts().get(0);
        hadoop = LocalSpark.session().sparkContext().hadoopConfiguration();
        watch((what, path) -> true);
        storage = Storage.of(LocalSpark.session());
    }

    private static TaskContextImpl inATask() {
        TaskContextImpl task = TaskContext$.MODULE$.empty();
        TaskContext$.MODULE$.setTaskContext(task);
        SparkEnv.get().blockManager().registerTask(task.taskAttemptId());
        return task;
    }

    @AfterEach
    void goOn() {
        if (TaskContext.get() != null) {
            SparkEnv.get()
                    .blockManager()
                    .releaseAllLocksForTask(TaskContext.get().taskAttemptId());
            TaskContext$.MODULE$.unset();
        }
    }

    private void watch(WatchedFiles.Watcher watcher) {
        WatchedFiles.watch(hadoop, watcher);
    }

    private static WatchedFiles.Watcher fails(String operation, String file, IOException failure) {
        return (what, path) -> {
            if (what.equals(operation) && path.toString().matches(file)) {
                throw failure;
            }
            return true;
        };
    }

    private UnitFiles files() {
        return new UnitFiles(storage, layout, part);
    }

    @ParameterizedTest
    @ValueSource(strings = {"open", "read"})
    void leavesUnitsAsTheyAre(String operation) {
        inATask().markInterrupted("cancelled");
        InterruptedIOException failure = new InterruptedIOException("Interrupted while waiting for IO on channel");
        watch(fails(operation, ".*/unit-001.paritas", failure));
        UnitGroup group = layout.group(part);
        try (UnitFiles files = files();
                PartInput input = new PartInput(group, files)) {
            assertThatThrownBy(input::readAllBytes)
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessage("interrupted while reading a checkpoint")
                    .hasCause(failure);
            assertThat(input.damaged()).isEqualTo(Erasures.none());
            assertThat(files.lost()).isEmpty();
        }
    }

    @Test
    void leavesUnitsAsTheyAreThatItHasRead() {
        TaskContextImpl task = inATask();
        InterruptedIOException failure = new InterruptedIOException("Interrupted while waiting for IO on channel");
        try (UnitFiles files = files();
                PartInput input = new PartInput(layout.group(part), files)) {
            files.openAll();
            task.markInterrupted("cancelled");
            watch(fails("read", ".*/unit-001.paritas", failure));
            assertThatThrownBy(input::readAllBytes)
                    .isInstanceOf(UncheckedIOException.class)
                    .hasCause(failure);
            assertThat(input.damaged()).isEqualTo(Erasures.none());
            assertThat(files.lost()).isEmpty();
        }
    }

    /** Threads share connections: it has the exception of another task, which is killed. Other units are read. */
    @ParameterizedTest
    @ValueSource(strings = {"open", "read"})
    void isNotThatOfAnotherTask(String operation) throws IOException {
        inATask();
        watch(fails(operation, ".*/unit-001.paritas", new InterruptedIOException("Call interrupted")));
        try (UnitFiles files = files();
                PartInput input = new PartInput(layout.group(part), files)) {
            assertThat(input.readAllBytes()).isNotEmpty();
            assertThat(input.damaged()).isEqualTo(Erasures.of(1));
        }
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void findsNoDamage() {
        watch(fails("open", ".*/unit-001.paritas", new InterruptedIOException("Call interrupted")));
        try (UnitFiles files = files()) {
            assertThatThrownBy(files::openAll).isInstanceOf(UncheckedIOException.class);
            assertThat(files.lost()).isEmpty();
        }
    }

    /** Others are read then. */
    @ParameterizedTest
    @ValueSource(strings = {"open", "read"})
    void isNotTakenForATimeout(String operation) throws IOException {
        watch(fails(operation, ".*/unit-001.paritas", new SocketTimeoutException("60000 millis timeout")));
        try (UnitFiles files = files();
                PartInput input = new PartInput(layout.group(part), files)) {
            assertThat(input.readAllBytes()).isNotEmpty();
            assertThat(input.damaged()).isEqualTo(Erasures.of(1));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"open", "read"})
    void saysNothingOfManifests(String operation) {
        InterruptedIOException failure = new InterruptedIOException("Call interrupted");
        watch(fails(operation, ".*/d1/.*/" + Manifest.FILE_NAME, failure));
        assertThatThrownBy(() -> CheckpointReader.of(LocalSpark.session(), names))
                .isSameAs(failure);
    }
}
