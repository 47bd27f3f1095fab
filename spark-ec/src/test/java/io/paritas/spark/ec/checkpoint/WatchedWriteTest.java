/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.erasure.CodeName;
import io.paritas.erasure.file.ChunkSize;
import io.paritas.spark.ec.LocalSpark;
import io.paritas.spark.ec.WatchedFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SaveMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Checkpoints that are written, or repaired, where single operations of the file system fail. */
class WatchedWriteTest {
    @TempDir
    private Path home;

    /** A task that is killed may still create files in a folder that is being deleted. */
    @Test
    void anAttemptThatCannotBeDeletedDoesNotCount() throws Exception {
        write(Sample.rows(10), (what, path) -> {
            if (what.equals("create") && path.getName().equals("unit-000.paritas")) {
                Files.createDirectories(
                        Path.of(path.getParent().getParent().toUri().getPath(), "part-00000-00000000"));
            }
            return !what.equals("delete") || !path.getName().equals("part-00000-00000000");
        });
        Sample sample = Sample.of(home, "xor-2");
        sample.check(Sample.rows(10));
        assertThat(sample.repair().verify()).isEmpty();
    }

    /** A directory that is away keeps the manifest. */
    @Test
    void aManifestThatCannotBeDeletedKeepsItsUnits() throws Exception {
        Sample sample = Sample.written(home, "xor-2", Sample.rows(10));
        assertThatThrownBy(() -> write(Sample.rows(4), (what, path) -> {
                    boolean away = what.equals("delete") && path.toString().contains("/d0/");
                    return !away && !createsManifest(what, path);
                }))
                .hasMessageContaining("nobody may create");
        sample.check(Sample.rows(4));
    }

    @Test
    void whatStaysOfTheOldOneGoesWithTheNext() throws Exception {
        Sample sample = Sample.written(home, "xor-2", Sample.rows(10));
        String old = sample.folder(1).getFileName().toString();
        write(
                Sample.rows(4),
                (what, path) -> !what.equals("delete")
                        || !path.getName().equals(old)
                        || !path.toString().contains("/d1/"));
        assertThat(sample.files()).as("of the old one").anyMatch(file -> file.contains(old));
        sample.check(Sample.rows(4));

        sample.write(Sample.rows(6), SaveMode.Overwrite);
        assertThat(sample.files()).noneMatch(file -> file.contains(old));
        sample.check(Sample.rows(6));
    }

    /** Remote file systems refuse what an interrupted thread asks. */
    @Test
    void anInterruptedFailureLeavesTheOldOne() throws Exception {
        Sample sample = Sample.written(home, "xor-2", Sample.rows(10));
        List<String> files = sample.files();
        assertThatThrownBy(() -> write(Sample.rows(4), (what, path) -> {
                    if (createsManifest(what, path)) {
                        Thread.currentThread().interrupt();
                        return false;
                    }
                    return !Thread.currentThread().isInterrupted();
                }))
                .hasMessageContaining("nobody may create");
        assertThat(Thread.interrupted()).isTrue();
        assertThat(sample.files()).isEqualTo(files);
        sample.check(Sample.rows(10));
    }

    /** Hadoop throws an error, not an exception, where a local disk is full. Linux has a file whose disk always is. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aFullDiskLeavesTheOldOne() throws Exception {
        Sample sample = Sample.written(home, "xor-2", Sample.rows(10));
        List<String> files = sample.files();
        assertThatThrownBy(() -> write(Sample.rows(4), (what, path) -> {
                    if (createsManifest(what, path)) {
                        WatchedFiles.writeToAFullDisk();
                    }
                    return true;
                }))
                .isInstanceOf(IOException.class)
                .hasMessage("No space left on device");
        assertThat(sample.files()).isEqualTo(files);
        sample.check(Sample.rows(10));
    }

    @Test
    void anInterruptedRepairLeavesNoFiles() throws Exception {
        Sample sample = Sample.written(home, "xor-2", Sample.rows(10));
        Files.delete(sample.unit(0, 1));
        List<String> files = sample.files();
        WatchedFiles.watch(LocalSpark.session().sparkContext().hadoopConfiguration(), (what, path) -> {
            if (what.equals("sync")) {
                Thread.currentThread().interrupt();
            }
            return !Thread.currentThread().isInterrupted();
        });
        assertThatThrownBy(() -> CheckpointRepair.of(LocalSpark.session(), watched(sample))
                        .repair())
                .hasMessageContaining("nobody may sync");
        assertThat(sample.files()).isEqualTo(files);
        assertThat(sample.repair().repair()).hasSize(1);
        sample.check(Sample.rows(10));
    }

    private static List<String> watched(Sample sample) {
        return sample.names().stream().map(name -> "watched:" + name).toList();
    }

    private static boolean createsManifest(String what, org.apache.hadoop.fs.Path path) {
        return what.equals("create") && path.toString().matches(".*/d1/.*/" + Manifest.FILE_NAME);
    }

    @Test
    void theOldOneIsDeletedWhenTheNewOneIsOnDisk() throws Exception {
        String old = Sample.written(home, "xor-2", Sample.rows(10)).manifest().id();
        List<String> done = new CopyOnWriteArrayList<>();
        write(Sample.rows(4), (what, path) -> {
            String kind = path.getName().startsWith("unit-") ? "unit" : "manifest";
            return done.add(what + " " + (path.toString().contains(old) ? "old" : kind));
        });
        done.removeIf("create unit"::equals);
        assertThat(done.subList(0, 9)).containsOnly("sync unit");
        assertThat(done.subList(9, 15))
                .containsExactly(
                        "create manifest",
                        "sync manifest",
                        "create manifest",
                        "sync manifest",
                        "create manifest",
                        "sync manifest");
        assertThat(done.subList(15, done.size())).isNotEmpty().containsOnly("delete old");
    }

    private void write(Dataset<?> rows, WatchedFiles.Watcher watcher) throws IOException {
        WatchedFiles.watch(LocalSpark.session().sparkContext().hadoopConfiguration(), watcher);
        List<String> names = watched(Sample.of(home, "xor-2"));
        CheckpointWriter.of(LocalSpark.session(), CodeName.parse("xor-2"), new ChunkSize(Sample.CHUNK), names)
                .write(rows, SaveMode.Overwrite);
    }
}
