/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.spark.ec.LocalSpark;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class DamagedUnitsTest {
    private static final Dataset<Row> ROWS = Sample.rows(60);

    @TempDir
    private Path home;

    private Sample sample;

    @BeforeEach
    void write() throws IOException {
        sample = Sample.written(home, "rs-3-2", ROWS);
        assertThat(sample.group(1).stripes()).isGreaterThan(4);
    }

    /** Chunk by chunk: every unit is damaged, but in no stripe more than two. */
    @Test
    void everyUnitMayBeDamagedSomewhere() throws Exception {
        sample.damage(1, 0, 0, 1);
        sample.damage(1, 1, 2, 3);
        sample.damage(1, 2, 4, 0);
        sample.damage(1, sample.group(1).stripes() - 1, 1, 2);
        sample.check(ROWS);
    }

    @Test
    void threeDamagedChunksOfAStripeAreTooMany() throws Exception {
        sample.damage(1, 2, 0, 2, 4);
        Dataset<Row> rows = sample.reader().rows(LocalSpark.session());
        assertThatThrownBy(rows::collectAsList)
                .hasMessageContaining("partition 1 of checkpoint "
                        + sample.manifest().id()
                        + " cannot be read: each stripe of rs-3-2 needs 3 of 5 chunks, stripe 2 of "
                        + sample.group(1).stripes() + " has 2; bring back one of\n  unit 0 (file:" + sample.unit(1, 0)
                        + "): chunk damaged\n  unit 2 (file:" + sample.unit(1, 2)
                        + "): chunk damaged\n  unit 4 (file:" + sample.unit(1, 4) + "): chunk damaged");
    }

    @Test
    void aTruncatedUnitIsUsedUpToItsEnd() throws Exception {
        truncate(sample.unit(0, 0), sample.group(0).chunkPosition(3) + 10);
        truncate(sample.unit(0, 1), sample.group(0).chunkPosition(2) - 1);
        sample.damage(0, 0, 2, 3);
        sample.check(ROWS);
    }

    @Test
    void unitsWithoutHeadersAreMissing() throws Exception {
        truncate(sample.unit(0, 0), 20);
        truncate(sample.unit(0, 1), 0);
        Sample.flip(sample.unit(1, 2), 30);
        Files.delete(sample.unit(1, 0));
        Files.writeString(
                sample.unit(2, 1), "not a unit at all, and long enough for a header of the format, is it not?");
        sample.check(ROWS);
    }

    /** A file of another partition has intact chunks, but they are not those. */
    @Test
    void unitsOfOthersAreMissing() throws Exception {
        Files.copy(sample.unit(1, 0), sample.unit(0, 0), StandardCopyOption.REPLACE_EXISTING);
        Files.copy(sample.unit(0, 2), sample.unit(0, 1), StandardCopyOption.REPLACE_EXISTING);
        sample.check(ROWS);
        Files.delete(sample.unit(0, 3));
        Dataset<Row> rows = sample.reader().rows(LocalSpark.session());
        assertThatThrownBy(rows::collectAsList)
                .hasMessageContaining("header damaged: header of unit 0 of rs-3-2 of a file of ")
                .hasMessageContaining("header damaged: header of unit 2 of rs-3-2 of a file of ");
    }

    @Test
    void aFolderInTheirPlaceIsNoUnit() throws Exception {
        Files.delete(sample.unit(0, 0));
        Files.createDirectory(sample.unit(0, 0));
        sample.check(ROWS);
    }

    /** Hadoop throws an error, not an exception, where a local disk cannot be read. Linux has a file that cannot be. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aDiskMayFail() throws Exception {
        Path unit = sample.unit(0, 0);
        Path manifest = sample.folder(3).resolve(Manifest.FILE_NAME);
        for (Path file : new Path[] {unit, manifest}) {
            Files.delete(file);
            Files.createSymbolicLink(file, Path.of("/proc/self/mem"));
        }
        sample.check(ROWS);
        assertThat(sample.repair().verify())
                .containsExactly(
                        new Damage("file:" + unit, "cannot be read: Input/output error"),
                        new Damage("file:" + manifest, "file:" + manifest + " is damaged: Input/output error"));
    }

    @Test
    void otherFilesDoNotMatter() throws Exception {
        Files.writeString(sample.folder(0).resolve("notes.txt"), "hello");
        Files.writeString(sample.directory(1).resolve("checkpoint-notes.txt"), "hello");
        Files.createDirectories(sample.directory(2).resolve("checkpoint-unfinished/part-00000-12345678"));
        Files.copy(sample.unit(0, 0), sample.unit(0, 0).resolveSibling("unit-000.paritas.17.tmp"));
        sample.check(ROWS);
    }

    @Test
    void theManifestMayBeLostWhereverItIs() throws Exception {
        Path[] manifests = new Path[5];
        for (int directory = 0; directory < 5; directory++) {
            manifests[directory] = sample.folder(directory).resolve(Manifest.FILE_NAME);
        }
        Files.delete(manifests[3]);
        truncate(manifests[0], 100);
        Sample.flip(manifests[1], 50);
        truncate(manifests[4], 0);
        sample.check(ROWS);
        assertThat(sample.reader().degradedPartitions().value()).isZero();
        Sample.flip(manifests[2], 10);
        assertThatThrownBy(sample::reader)
                .hasMessageStartingWith("a directory must have an intact manifest of a checkpoint, got none:")
                .hasMessageContaining("manifest.json is damaged: wrong checksum")
                .hasMessageContaining("d3: missing");
    }

    private static void truncate(Path file, long length) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(length);
        }
    }
}
