/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.erasure.CodeName;
import io.paritas.erasure.file.ChunkSize;
import io.paritas.erasure.file.UnitGroup;
import io.paritas.spark.ec.LocalSpark;
import io.paritas.spark.ec.WatchedFiles;
import io.paritas.spark.job.Stubborn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WriteTest {
    @TempDir
    private Path home;

    @Test
    void aDirectoryHasAUnitOfEachPartitionAndTheManifest() throws Exception {
        Sample sample = Sample.written(home, "xor-2", Sample.rows(10));
        assertThat(sample.files())
                .hasSize(3 + 3 * 3)
                .allMatch(file -> file.matches("d[0-2]/checkpoint-[-0-9a-f]{36}/"
                        + "(manifest\\.json|part-0000[0-2]-[0-9a-f]{8}/unit-00[0-2]\\.paritas)"));
        for (int part = 0; part < 3; part++) {
            assertThat(sample.unit(part, 0).toString()).contains("/d" + part + "/");
            assertThat(Files.size(sample.unit(part, 0)))
                    .isEqualTo(sample.group(part).unitLength());
        }
    }

    @Test
    void anotherCheckpointIsNotOverwrittenUnasked() throws Exception {
        Dataset<Row> rows = Sample.rows(10);
        Sample sample = Sample.written(home, "xor-2", rows);
        List<String> files = sample.files();
        String id = sample.manifest().id();
        Sample.delete(sample.directory(0));
        assertThatExceptionOfType(FileAlreadyExistsException.class)
                .isThrownBy(() -> sample.write(Sample.rows(3), SaveMode.ErrorIfExists))
                .withMessageStartingWith("the directories of a new checkpoint must have none, got " + id + " in [file:")
                .withMessageEndingWith(
                        "]: choose others, or replace it with SaveMode.Overwrite, in SQL mode => 'overwrite'");
        assertThat(sample.files())
                .isEqualTo(files.stream().filter(file -> !file.startsWith("d0")).toList());
        sample.check(rows);
    }

    @Test
    void anotherModeIsRefused() throws Exception {
        Sample sample = Sample.of(home, "xor-2");
        for (SaveMode mode : List.of(SaveMode.Append, SaveMode.Ignore)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> sample.write(Sample.rows(3), mode))
                    .withMessage("the mode of a checkpoint must be ErrorIfExists or Overwrite, got " + mode);
        }
    }

    /** Even by what is read from it. */
    @Test
    void overwritingReplaces() throws Exception {
        Sample sample = Sample.written(home, "xor-2", Sample.rows(10));
        String old = sample.manifest().id();
        sample.write(sample.reader().rows(LocalSpark.session()).where("id > 3"), SaveMode.Overwrite);
        assertThat(sample.manifest().replaces()).containsExactly(old);
        assertThat(sample.files()).noneMatch(file -> file.contains(old));
        sample.check(Sample.rows(10).where("id > 3"));
    }

    @Test
    void aFailureLeavesTheOldOne() throws Exception {
        Dataset<Row> rows = Sample.rows(10);
        Sample sample = Sample.written(home, "xor-2", rows);
        List<String> files = sample.files();
        assertThatThrownBy(() -> sample.write(failing(), SaveMode.Overwrite)).hasMessageContaining("too large");
        assertThat(sample.files()).isEqualTo(files);
        sample.check(rows);
    }

    /** The manifest of one would replace that of the other, and nothing could be read. */
    @Test
    void twoNamesOfOnePlaceAreRefused() throws Exception {
        Dataset<Row> rows = Sample.rows(10);
        Sample sample = Sample.written(home, "xor-2", rows);
        List<String> files = sample.files();
        Path link = Files.createSymbolicLink(home.resolve("link"), sample.directory(1));
        List<String> names = List.of(sample.names().get(0), sample.names().get(1), link.toString());
        CheckpointWriter writer =
                CheckpointWriter.of(LocalSpark.session(), sample.code(), new ChunkSize(Sample.CHUNK), names);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> writer.write(Sample.rows(3), SaveMode.Overwrite))
                .withMessage("the directories of a checkpoint must be different places, but file:" + link
                        + " is the place of one before it in [file:" + names.get(0) + ", file:" + names.get(1)
                        + ", file:" + link + "], as through a symbolic link: name another directory");
        assertThat(sample.files()).isEqualTo(files);
        assertThat(sample.folders()).hasSize(3);
        sample.check(rows);
    }

    @Test
    void whoReadsAReplacedOneIsTold() throws Exception {
        Sample sample = Sample.written(home, "rs-3-2", Sample.rows(10));
        String old = sample.manifest().id();
        Dataset<Row> rows = sample.reader().rows(LocalSpark.session());
        for (String code : List.of("rs-3-2", "xor-2")) { // the second has fewer directories
            Sample fresh = Sample.of(home, code);
            fresh.write(Sample.rows(4), SaveMode.Overwrite);
            assertThatThrownBy(rows::count)
                    .as(code)
                    .hasMessageContaining("of checkpoint " + old + " cannot be read: checkpoint "
                            + fresh.manifest().id() + " has replaced it; read the directories again");
        }
    }

    @Test
    void aFailureLeavesNothing() throws Exception {
        Sample sample = Sample.of(home, "xor-2");
        assertThatThrownBy(() -> sample.write(failing(), SaveMode.ErrorIfExists))
                .hasMessageContaining("too large");
        assertThat(sample.folders()).isEmpty();
    }

    @Test
    void aDirectoryThatCannotBeWrittenFailsAll() throws Exception {
        Sample sample = Sample.of(home, "xor-2");
        Files.writeString(home.resolve("d1"), "a file");
        assertThatThrownBy(() -> sample.write(Sample.rows(10), SaveMode.ErrorIfExists))
                .hasStackTraceContaining("d1");
        assertThat(sample.files()).containsExactly("d1");
        assertThat(sample.folders()).isEmpty();
    }

    /** One that has failed does not keep others of its job from going on for a while. */
    @Test
    void aFailureLeavesNothingWhileTasksStillRun() throws Exception {
        Sample sample = Sample.of(home, "xor-2");
        JavaSparkContext context =
                JavaSparkContext.fromSparkContext(LocalSpark.session().sparkContext());
        Dataset<Row> rows = LocalSpark.session()
                .createDataFrame(Stubborn.elements(context).map(RowFactory::create), StructType.fromDDL("id BIGINT"));
        assertThatThrownBy(() -> sample.write(rows, SaveMode.ErrorIfExists)).hasMessageContaining("a stubborn test");
        assertThat(Stubborn.hasEnded()).isTrue();
        assertThat(sample.folders()).isEmpty();
    }

    @Test
    void anAttemptThatFailsDeletesItsFolder() throws Exception {
        Sample sample = Sample.of(home, "xor-2");
        Files.writeString(home.resolve("d1"), "a file");
        UnitFileLayout layout = new UnitFileLayout("id", "xor-2", Sample.CHUNK, sample.names());
        RowFormat format = new RowFormat(Sample.rows(1).schema(), new Compression("lz4"));
        PartWriter<InternalRow> writer = new PartWriter<>(Storage.of(LocalSpark.session()), layout, format);
        JavaRDD<Part> parts = JavaSparkContext.fromSparkContext(
                        LocalSpark.session().sparkContext())
                .parallelize(List.of(1), 1)
                .map(attempt -> writer.call(0, Collections.emptyIterator()).next());
        assertThatThrownBy(parts::collect).hasStackTraceContaining("d1");
        assertThat(home.resolve("d0/checkpoint-id")).isEmptyDirectory();
    }

    /** A writer that was killed when it had begun to write manifests: both checkpoints are complete, the new one counts. */
    @Test
    void theNewOneCountsWhereBothAreComplete() throws Exception {
        Sample sample = Sample.written(home, "xor-2", Sample.rows(10));
        Path kept = home.resolve("kept");
        copy(sample.folder(2), kept);
        Path old = sample.folder(2);
        sample.write(Sample.rows(4), SaveMode.Overwrite);
        copy(kept, old);
        Files.delete(sample.folder(2).resolve(Manifest.FILE_NAME));
        sample.check(Sample.rows(4));
        sample.write(Sample.rows(6), SaveMode.Overwrite);
        assertThat(sample.manifest().replaces()).hasSize(2);
        assertThat(old).doesNotExist();
        sample.check(Sample.rows(6));
    }

    /** A writer that was killed before it had written a manifest. */
    @Test
    void leftoversDoNotCount() throws Exception {
        Sample sample = Sample.written(home, "xor-2", Sample.rows(10));
        List<Path> folders = List.of(sample.folder(0), sample.folder(1), sample.folder(2));
        for (Path folder : folders) {
            Files.delete(folder.resolve(Manifest.FILE_NAME));
        }
        sample.write(Sample.rows(4), SaveMode.ErrorIfExists);
        sample.check(Sample.rows(4));
    }

    /** Each attempt at a partition writes files of its own; the manifest says which one counts. */
    @Test
    void attemptsDoNotMix() throws Exception {
        Sample sample = Sample.of(home, "xor-2");
        Storage storage = Storage.of(LocalSpark.session());
        UnitFileLayout layout = new UnitFileLayout("id", "xor-2", Sample.CHUNK, sample.names());
        PartWriter<InternalRow> writer =
                new PartWriter<>(storage, layout, new RowFormat(Sample.rows(1).schema(), new Compression("lz4")));
        List<Part> attempts = JavaSparkContext.fromSparkContext(
                        LocalSpark.session().sparkContext())
                .parallelize(List.of(1, 2), 2)
                .map(attempt -> writer.call(0, Collections.emptyIterator()).next())
                .collect();
        assertThat(attempts).extracting(Part::index).containsExactly(0, 0);
        for (Part attempt : attempts) {
            assertThat(sample.files())
                    .contains(
                            "d0/checkpoint-id/" + attempt.folder() + "/unit-000.paritas",
                            "d1/checkpoint-id/" + attempt.folder() + "/unit-001.paritas",
                            "d2/checkpoint-id/" + attempt.folder() + "/unit-002.paritas");
        }
        new Leftovers(storage, sample.names()).deleteAttempts("id", attempts.subList(1, 2));
        assertThat(sample.files())
                .hasSize(3)
                .allMatch(file -> file.contains(attempts.get(1).folder()));
    }

    @Test
    void whatIsNotCompleteIsDeleted() throws Exception {
        Storage storage = Storage.of(LocalSpark.session());
        UnitGroup group = new UnitGroup(CodeName.parse("xor-2"), new ChunkSize(64), 10, UUID.randomUUID());
        Files.writeString(home.resolve("file"), "in the way");
        assertThatThrownBy(() -> {
                    try (UnitOutputs outputs = new UnitOutputs(storage, group)) {
                        outputs.add(
                                0,
                                new org.apache.hadoop.fs.Path(home.resolve("a").toUri()));
                        outputs.add(
                                1,
                                new org.apache.hadoop.fs.Path(home.resolve("b").toUri()));
                        assertThat(home.resolve("a")).exists();
                        outputs.add(
                                2,
                                new org.apache.hadoop.fs.Path(
                                        home.resolve("file").toUri()));
                    }
                })
                .isInstanceOf(IOException.class);
        assertThat(Sample.of(home, "xor-2").files()).containsExactly("file");
    }

    @Test
    void eachIsDeletedThatCanBe() {
        Configuration hadoop = LocalSpark.session().sparkContext().hadoopConfiguration();
        WatchedFiles.watch(hadoop, (what, path) -> {
            if (what.equals("delete") && path.getName().equals("a")) {
                throw new IllegalStateException("as where Hadoop's configuration is lost");
            }
            return true;
        });
        UnitGroup group = new UnitGroup(CodeName.parse("xor-2"), new ChunkSize(64), 10, UUID.randomUUID());
        assertThatIllegalStateException()
                .isThrownBy(() -> {
                    try (UnitOutputs outputs = new UnitOutputs(Storage.of(LocalSpark.session()), group)) {
                        outputs.add(0, new org.apache.hadoop.fs.Path("watched:" + home.resolve("a")));
                        outputs.add(1, new org.apache.hadoop.fs.Path("watched:" + home.resolve("b")));
                    }
                })
                .withMessage("as where Hadoop's configuration is lost");
        assertThat(home.resolve("a")).exists();
        assertThat(home.resolve("b")).doesNotExist();
    }

    @Test
    void theDirectoriesAreChecked() {
        for (List<String> names : List.of(List.<String>of(), List.of("/tmp/a", "/tmp/b", "file:/tmp/a/"))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() ->
                            CheckpointWriter.of(LocalSpark.session(), CodeName.parse("6-3"), new ChunkSize(64), names))
                    .withMessage("a checkpoint must have one or more directories, each named once, got " + names);
        }
    }

    @Test
    void theStripesAreChecked() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CheckpointWriter.of(
                        LocalSpark.session(), CodeName.parse("rs-20-4"), ChunkSize.parse("16m"), List.of("/tmp/a")))
                .withMessageStartingWith("a stripe, one chunk of each unit, must have at most 256 MiB");
    }

    /** Rows of which the last one cannot be computed. */
    private static Dataset<Row> failing() {
        return Sample.rows(100).selectExpr("IF(id = 99, raise_error('too large'), id) AS id");
    }

    private static void copy(Path from, Path to) throws IOException {
        try (var all = Files.walk(from)) {
            for (Path file : all.toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target);
                }
            }
        }
    }
}
