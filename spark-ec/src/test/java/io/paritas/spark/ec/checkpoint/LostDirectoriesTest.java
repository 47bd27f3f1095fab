/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.erasure.file.UnitsException;
import io.paritas.spark.ec.ErasureCodedCheckpoint;
import io.paritas.spark.ec.LocalSpark;
import java.io.FileNotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LostDirectoriesTest {
    @TempDir
    private Path home;

    @ParameterizedTest
    @ValueSource(strings = {"rs-3-2", "paritas-4-1"})
    void anyRMayBeLost(String code) throws Exception {
        Dataset<Row> rows = Sample.rows(50);
        Sample sample = Sample.written(home, code, rows);
        for (int lost = 0; lost <= sample.code().parameters().r(); lost++) {
            for (List<Integer> directories :
                    Sample.subsets(sample.directories(), lost).toList()) {
                hide(sample, directories);
                sample.check(rows);
                show(sample, directories);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rs-3-2", "paritas-4-1"})
    void moreMayNot(String code) throws Exception {
        Sample sample = Sample.written(home, code, Sample.rows(50));
        int tooMany = sample.code().parameters().r() + 1;
        for (List<Integer> directories :
                Sample.subsets(sample.directories(), tooMany).toList()) {
            hide(sample, directories);
            Dataset<Row> read = sample.reader().rows(LocalSpark.session());
            assertThatThrownBy(read::collectAsList)
                    .hasMessageContaining("cannot be read: each stripe of " + code + " needs "
                            + sample.code().k() + " of " + sample.code().n() + " chunks, stripe 0 of ")
                    .hasMessageContaining("bring back one of\n  unit ")
                    .hasMessageContaining(sample.directory(directories.get(0)) + "/checkpoint-")
                    .hasMessageContaining(".paritas): missing");
            show(sample, directories);
        }
    }

    @Test
    void aLocalReconstructionCodeLosesMore() throws Exception {
        Dataset<Row> rows = Sample.rows(20);
        Sample sample = Sample.written(home, "lrc-6-2-2", rows);
        hide(sample, List.of(0, 3, 8));
        sample.check(rows);
    }

    @Test
    void theOrderOfTheDirectoriesDoesNotMatter() throws Exception {
        Dataset<Row> rows = Sample.rows(50);
        Sample sample = Sample.written(home, "rs-3-2", rows);
        List<String> names = new ArrayList<>(sample.names());
        Collections.reverse(names);
        CheckpointReader reader = CheckpointReader.of(LocalSpark.session(), names);
        assertThat(reader.rows(LocalSpark.session()).collectAsList()).isEqualTo(rows.collectAsList());
        assertThat(reader.degradedPartitions().value()).isZero();
    }

    @Test
    void lostOnesMayBeLeftOut() throws Exception {
        Dataset<Row> rows = Sample.rows(50);
        Sample sample = Sample.written(home, "rs-3-2", rows);
        List<String> left = List.of(
                sample.names().get(4), sample.names().get(1), sample.names().get(2));
        assertThat(CheckpointReader.of(LocalSpark.session(), left)
                        .rows(LocalSpark.session())
                        .collectAsList())
                .isEqualTo(rows.collectAsList());
        hide(sample, List.of(4));
        Dataset<Row> less = CheckpointReader.of(LocalSpark.session(), left).rows(LocalSpark.session());
        assertThatThrownBy(less::collectAsList)
                .hasMessageContaining("(in directory number 3, which is not among those given): missing");
    }

    @Test
    void whatWasLostIsCounted() throws Exception {
        Dataset<Row> rows = Sample.rows(50);
        Sample sample = Sample.written(home, "rs-3-2", rows);
        hide(sample, List.of(0));
        CheckpointReader reader = sample.reader();
        assertThat(reader.rows(LocalSpark.session()).collectAsList()).hasSize(50);
        // Partitions 1 and 2 have parity units there, which are not looked at.
        assertThat(reader.degradedPartitions().value()).isEqualTo(1);
        assertThat(reader.damagedUnits().value()).isEqualTo(1);
    }

    @Test
    void noneLeftIsNoCheckpoint() throws Exception {
        Sample sample = Sample.of(home, "xor-2");
        assertThatExceptionOfType(FileNotFoundException.class)
                .isThrownBy(sample::reader)
                .withMessageStartingWith("a directory must have an intact manifest of a checkpoint, got none:\n  file:")
                .withMessageEndingWith("d2: missing");
    }

    @Test
    void otherCheckpointsAreRefused() throws Exception {
        Sample one = Sample.written(home, "xor-2", Sample.rows(5));
        Sample other = Sample.written(home.resolve("other"), "xor-2", Sample.rows(5));
        List<String> mixed =
                List.of(one.names().get(0), other.names().get(1), one.names().get(2));
        assertThatExceptionOfType(UnitsException.class)
                .isThrownBy(() -> CheckpointReader.of(LocalSpark.session(), mixed))
                .withMessageStartingWith("directories must have one checkpoint, got several:\n  ")
                .withMessageContaining(one.manifest().id() + " in [file:")
                .withMessageContaining(other.manifest().id() + " in [file:")
                .withMessageEndingWith("\nname the directories of one of them");
    }

    @Test
    void aDirectoryIsGivenOnce() throws Exception {
        Sample sample = Sample.written(home, "xor-2", Sample.rows(5));
        Path copy = home.resolve("copy");
        Files.createDirectories(copy);
        Path manifest = sample.folder(1).resolve(Manifest.FILE_NAME);
        Path folder = Files.createDirectory(copy.resolve(sample.folder(1).getFileName()));
        Files.copy(manifest, folder.resolve(Manifest.FILE_NAME));
        List<String> names = List.of(sample.names().get(0), sample.names().get(1), copy.toString());
        assertThatExceptionOfType(UnitsException.class)
                .isThrownBy(() -> CheckpointReader.of(LocalSpark.session(), names))
                .withMessageStartingWith("each directory of a checkpoint must be given once, got ")
                .withMessageContaining(", which are both number 1 of checkpoint ");
    }

    /** A view of what cannot be read would look right until somebody reads it. */
    @Test
    void tooFewDirectoriesAreRefusedBeforeAnyIsRead() throws Exception {
        Sample sample = Sample.written(home, "rs-2-1", Sample.rows(20));
        assertThatExceptionOfType(UnitsException.class)
                .isThrownBy(() -> ErasureCodedCheckpoint.read(
                        LocalSpark.session(), List.of(sample.names().get(1))))
                .withMessageStartingWith(
                        "a checkpoint with rs-2-1 is read from at least 2 of 3 units of each partition,"
                                + " got 1 of partition 0 of checkpoint ")
                .withMessageEndingWith(", because 2 of its 3 directories are not named: name more of them");
    }

    /** With fewer directories than units, some have several. */
    @ParameterizedTest
    @CsvSource({"rs-3-2, 3, 1", "rs-3-2, 2, 0", "rs-3-2, 1, 0", "rs-2-4, 3, 2"})
    void fewDirectoriesSurviveLess(String code, int directories, int losses) throws Exception {
        Dataset<Row> rows = Sample.rows(20);
        Sample sample = new Sample(home, Sample.of(home, code).code(), directories);
        sample.write(rows, SaveMode.ErrorIfExists);
        assertThat(Directories.survival(sample.code(), directories))
                .contains("it survives the loss of " + (losses == 0 ? "none" : "any " + losses) + " of them");
        assertThat(Directories.survives(sample.code(), directories)).isEqualTo(losses);
        for (List<Integer> lost : Sample.subsets(directories, losses).toList()) {
            hide(sample, lost);
            sample.check(rows);
            show(sample, lost);
        }
    }

    @Test
    void moreDirectoriesThanUnitsAreUsedInTurn() throws Exception {
        Dataset<Row> rows = Sample.rows(20);
        Sample sample = new Sample(home, Sample.of(home, "xor-2").code(), 5);
        sample.write(rows, SaveMode.ErrorIfExists);
        for (int part = 0; part < 3; part++) {
            for (int unit = 0; unit < 3; unit++) {
                assertThat(sample.unit(part, unit)).exists();
            }
        }
        sample.check(rows);
    }

    private static void hide(Sample sample, List<Integer> directories) throws Exception {
        for (int directory : directories) {
            Files.move(sample.directory(directory), sample.home().resolve("hidden" + directory));
        }
    }

    private static void show(Sample sample, List<Integer> directories) throws Exception {
        for (int directory : directories) {
            Files.move(sample.home().resolve("hidden" + directory), sample.directory(directory));
        }
    }
}
