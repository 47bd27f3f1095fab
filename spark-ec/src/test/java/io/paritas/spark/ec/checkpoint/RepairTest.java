/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.erasure.file.UnitsException;
import io.paritas.spark.ec.LocalSpark;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RepairTest {
    private static final Dataset<Row> ROWS = Sample.rows(60);

    @TempDir
    private Path home;

    private Sample sample;
    private Map<String, String> before;

    @BeforeEach
    void write() throws IOException {
        sample = Sample.written(home, "rs-3-2", ROWS);
        before = contents();
    }

    @Test
    void nothingIsWrong() throws Exception {
        assertThat(sample.repair().verify()).isEmpty();
        assertThat(sample.repair().repair()).isEmpty();
        assertThat(contents()).isEqualTo(before);
    }

    @Test
    void lostDirectoriesAreMadeAnew() throws Exception {
        for (List<Integer> lost : Sample.subsets(5, 2).toList()) {
            for (int directory : lost) {
                Sample.delete(sample.directory(directory));
            }
            List<Damage> damage = sample.repair().verify();
            assertThat(damage).hasSize(2 * (3 + 1)).extracting(Damage::trouble).containsOnly("missing");
            assertThat(sample.repair().repair()).isEqualTo(damage);
            assertThat(contents()).isEqualTo(before);
        }
    }

    @Test
    void twoNamesOfOnePlaceAreRefused() throws Exception {
        Sample.delete(sample.directory(3));
        Sample.delete(sample.directory(4));
        Files.createDirectory(sample.directory(3));
        Files.createSymbolicLink(sample.directory(4), sample.directory(3));
        String id = sample.manifest().id();
        assertThatExceptionOfType(UnitsException.class)
                .isThrownBy(() -> sample.repair().repair())
                .withMessage("each directory of a checkpoint must be given once, got file:" + sample.directory(3)
                        + " and file:" + sample.directory(4) + ", which are both number 4 of checkpoint " + id);
        Files.delete(sample.directory(4));
        assertThat(sample.repair().repair()).isNotEmpty();
        assertThat(sample.repair().verify()).isEmpty();
        sample.check(ROWS);
    }

    @Test
    void anyDamageIsRepaired() throws Exception {
        sample.damage(0, 0, 0);
        sample.damage(0, 1, 0, 1);
        sample.damage(0, 2, 2, 3);
        Files.write(sample.unit(1, 1), new byte[] {1}, StandardOpenOption.APPEND);
        Files.write(sample.unit(1, 4), Files.readAllBytes(sample.unit(1, 3)));
        Files.write(sample.unit(2, 4), new byte[10]);
        Sample.flip(sample.folder(3).resolve(Manifest.FILE_NAME), 8);
        long stripes = sample.group(0).stripes();
        long length = sample.group(1).unitLength();
        List<Damage> repaired = sample.repair().repair();
        assertThat(repaired)
                .contains(
                        new Damage("file:" + sample.unit(0, 0), "2 of " + stripes + " chunks damaged"),
                        new Damage("file:" + sample.unit(0, 3), "1 of " + stripes + " chunks damaged"),
                        new Damage(
                                "file:" + sample.unit(1, 1),
                                "wrong length: " + (length + 1) + " of " + length + " bytes"),
                        new Damage(
                                "file:" + sample.unit(1, 4), "header damaged: header of unit 3 of " + sample.group(1)),
                        new Damage("file:" + sample.unit(2, 4), "header damaged: the file is too short"))
                .hasSize(4 + 2 + 1 + 1);
        assertThat(repaired.get(7).trouble()).endsWith("manifest.json is damaged: wrong checksum");
        assertThat(contents()).isEqualTo(before);
    }

    @Test
    void whatCannotBeRepairedIsNamedAndTheRestRepaired() throws Exception {
        sample.damage(1, 2, 0, 1, 4);
        Files.delete(sample.unit(2, 0));
        String unit = sample.unit(1, 4).toString();
        assertThat(sample.repair().verify()).hasSize(4);
        assertThatExceptionOfType(UnitsException.class)
                .isThrownBy(() -> sample.repair().repair())
                .withMessageStartingWith("checkpoint " + sample.manifest().id()
                        + " cannot be repaired as a whole:\n"
                        + "  partition 1: stripe 2 has lost the chunks of units [0, 1, 4], which rs-3-2 cannot"
                        + " reconstruct from the others; damaged files:\n"
                        + "    file:")
                .withMessageContaining(unit + ": 1 of ");
        assertThat(sample.unit(2, 0)).exists();
        assertThat(sample.repair().verify()).hasSize(3);
    }

    /** A cell was changed, and its checksum with it. */
    @Test
    void parityThatDoesNotFitIsFound() throws Exception {
        Path file = sample.unit(0, 3);
        byte[] bytes = Files.readAllBytes(file);
        bytes[64] ^= 1;
        seal(bytes, 64, Sample.CHUNK);
        Files.write(file, bytes);
        assertThatExceptionOfType(UnitsException.class)
                .isThrownBy(() -> sample.repair().repair())
                .withMessageContaining(
                        "partition 0: in stripe 0 the parity does not fit the data although all checksums"
                                + " are right: the wrong unit is unknown");
    }

    /** Each of the two damaged units has chunks that the repair of the other one needs. */
    @Test
    void aRepairThatFailsLosesNothing() throws Exception {
        LocalSpark.session()
                .sparkContext()
                .hadoopConfiguration()
                .setClass("fs.refusing.impl", RefusingFiles.class, FileSystem.class);
        Sample xor = Sample.written(home.resolve("xor"), "xor-2", ROWS);
        xor.damage(0, 0, 0);
        xor.damage(0, 1, 1);
        Map<String, String> damaged = contents();
        List<String> names =
                xor.names().stream().map(name -> "refusing:" + name).toList();
        assertThatThrownBy(
                        () -> CheckpointRepair.of(LocalSpark.session(), names).repair())
                .hasStackTraceContaining(" cannot be renamed to refusing:" + xor.unit(0, 0));
        assertThat(contents()).isEqualTo(damaged);
        xor.repair().repair();
        assertThat(xor.repair().verify()).isEmpty();
        xor.check(ROWS);
    }

    /** Files that do not replace others, where the first unit of a partition cannot get a new file. */
    static final class RefusingFiles extends FilterFileSystem {
        private Optional<String> old = Optional.empty();

        RefusingFiles() {
            super(new RawLocalFileSystem() {
                @Override
                public URI getUri() {
                    return URI.create("refusing:///");
                }
            });
        }

        @Override
        public boolean rename(org.apache.hadoop.fs.Path from, org.apache.hadoop.fs.Path to) throws IOException {
            if (from.getName().equals("unit-000.paritas")) {
                old = Optional.of(to.getName());
            }
            boolean fresh = !old.equals(Optional.of(from.getName()));
            return !(fresh && to.getName().equals("unit-000.paritas")) && super.rename(from, to);
        }
    }

    @Test
    void unitsOfANewerVersionAreNotReplaced() throws Exception {
        Path newer = sample.unit(1, 2);
        byte[] bytes = Files.readAllBytes(newer);
        bytes[9] = 2;
        seal(bytes, 0, 60);
        Files.write(newer, bytes);
        Files.delete(sample.unit(1, 0));
        Files.delete(sample.unit(2, 0));
        String refusal = "written in format version 2, and this program reads version 1; use a newer Paritas";
        assertThat(sample.repair().verify()).hasSize(3).contains(new Damage("file:" + newer, refusal));
        assertThatExceptionOfType(UnitsException.class)
                .isThrownBy(() -> sample.repair().repair())
                .withMessageContaining("partition 1: unit 2 (file:" + newer + ") is intact, but " + refusal);
        assertThat(newer).hasBinaryContent(bytes);
        assertThat(sample.unit(1, 0)).doesNotExist();
        assertThat(sample.unit(2, 0)).exists();
        sample.check(ROWS);
    }

    @Test
    void allDirectoriesAreNamed() {
        List<String> names = sample.names().subList(0, 4);
        assertThatExceptionOfType(UnitsException.class)
                .isThrownBy(() -> CheckpointRepair.of(LocalSpark.session(), names))
                .withMessage(
                        "all 5 directories of a checkpoint must be named to verify or repair it, an empty one in the"
                                + " place of each lost one, got " + names);
    }

    @Test
    void anEmptyPartitionHasUnitsToo() throws Exception {
        Sample empty = Sample.of(home.resolve("empty"), "xor-2");
        empty.write(Sample.rows(10).where("id < 0"), SaveMode.ErrorIfExists);
        Sample.delete(empty.directory(1));
        assertThat(empty.repair().repair()).hasSize(3 + 1);
        assertThat(empty.repair().verify()).isEmpty();
    }

    /** Puts a checksum behind some bytes. */
    private static void seal(byte[] bytes, int start, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, start, length);
        ByteBuffer.wrap(bytes).putInt(start + length, (int) crc.getValue());
    }

    private Map<String, String> contents() throws IOException {
        Map<String, String> contents = new LinkedHashMap<>();
        for (String file : sample.files()) {
            contents.put(file, HexFormat.of().formatHex(Files.readAllBytes(home.resolve(file))));
        }
        return contents;
    }
}
