/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paritas.cli.Run;
import io.paritas.erasure.file.UnitHeader;
import io.paritas.erasure.file.UnitsException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Map;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DamageTest {
    private static final int STRIPES = 6;

    @TempDir
    private Path home;

    private Sample sample;

    @BeforeEach
    void encode() throws Exception {
        sample = Sample.of(home, "rs-3-2", (STRIPES - 1) * 48 + 7);
    }

    @Test
    void everyUnitMayBeDamagedIfNoStripeHasTooMuch() throws Exception {
        for (int stripe = 0; stripe < STRIPES; stripe++) {
            sample.damage(stripe % 5, stripe);
            sample.damage((stripe + 2) % 5, stripe);
        }
        assertThat(sample.decoded()).as("%s", sample).isEqualTo(sample.content());
        Inspection inspection = sample.inspected();
        assertThat(inspection.troubles()).containsOnlyKeys(0, 1, 2, 3, 4);
        assertThat(inspection.troubles()).containsEntry(0, "3 of 6 chunks damaged, the first in stripe 0");
        assertThat(inspection.repairable()).isTrue();
    }

    @Test
    void aWrongChecksumIsDamageToo() throws Exception {
        sample.flip(1, sample.group().chunkPosition(2) - 1);
        assertThat(sample.inspected().troubles()).isEqualTo(Map.of(1, "1 of 6 chunks damaged, the first in stripe 1"));
        assertThat(sample.decoded()).as("%s", sample).isEqualTo(sample.content());
    }

    @Test
    void tooMuchDamageInOneStripeIsAnErrorAndLeavesNoFile() throws Exception {
        sample.damage(0, 4);
        sample.damage(3, 4);
        Files.delete(sample.unit(1));
        assertThatExceptionOfType(UnitsException.class)
                .isThrownBy(sample::decoded)
                .withMessage("each stripe of rs-3-2 needs 3 of 5 chunks, stripe 4 of 6 has 2; bring back one of"
                        + "\n  unit 0: chunk damaged\n  unit 1: missing\n  unit 3: chunk damaged");
        assertThat(Sample.names(home)).containsExactly("units", "units.original");
        Inspection inspection = sample.inspected();
        assertThat(inspection.unrecoverable()).isEqualTo(new Tally(1, 4));
        assertThat(inspection.verdict())
                .isEqualTo("1 of 6 stripes cannot be repaired, the first is stripe 4: rs-3-2 cannot reconstruct the"
                        + " damaged"
                        + " chunks from those that are left");
    }

    /** Whoever decodes, or brings back a missing unit, hears of damage on the way. */
    @Test
    void damageThatWasWorkedAroundIsNamed() throws Exception {
        sample.damage(1, 2);
        Files.delete(sample.unit(4));
        Run decode = Run.paritas("decode", sample.directory(), "--out", home.resolve("decoded"));
        assertThat(decode.err()).contains("Damaged or missing, and reconstructed from the others: units [1, 4]: ");
        assertThat(decode.status()).isZero();
        Run repair = Run.paritas("repair", sample.directory(), "--missing-only");
        assertThat(repair.err())
                .contains("Damaged or missing, and reconstructed from the others: units [1]: 'paritas repair "
                        + sample.directory() + "' without --missing-only makes them anew");
        assertThat(repair.status()).isZero();
        assertThat(Run.paritas("repair", sample.directory()).err()).doesNotContain("Damaged");
        assertThat(sample.inspected().sound()).isTrue();
    }

    @Test
    void aTruncatedUnitIsMissing() throws Exception {
        try (RandomAccessFile file = new RandomAccessFile(sample.unit(2).toFile(), "rw")) {
            file.setLength(file.length() - 1);
        }
        assertThat(sample.inspected().troubles()).isEqualTo(Map.of(2, "wrong length: 170 of 171 bytes"));
        assertThat(sample.decoded()).as("%s", sample).isEqualTo(sample.content());
    }

    @Test
    void aUnitThatIsTooLongIsMissing() throws Exception {
        Files.write(sample.unit(2), new byte[1], StandardOpenOption.APPEND);
        assertThat(sample.inspected().troubles()).isEqualTo(Map.of(2, "wrong length: 172 of 171 bytes"));
    }

    @Test
    void aUnitWithADamagedHeaderIsMissing() throws Exception {
        sample.flip(0, 0);
        sample.flip(4, 30);
        assertThat(sample.inspected().troubles())
                .isEqualTo(Map.of(
                        0, "header damaged: the file does not start like a unit",
                        4, "header damaged: its checksum is wrong"));
        assertThat(sample.decoded()).as("%s", sample).isEqualTo(sample.content());
    }

    @Test
    void anEmptyFileAndADirectoryAreNoUnits() throws Exception {
        Files.write(sample.unit(0), new byte[0]);
        Files.delete(sample.unit(1));
        Files.createDirectory(sample.unit(1));
        assertThat(sample.inspected().troubles()).containsEntry(0, "header damaged: the file is too short");
        assertThat(sample.inspected().troubles()).containsEntry(1, "not a regular file");
        assertThat(sample.decoded()).as("%s", sample).isEqualTo(sample.content());
    }

    @Test
    void aUnitOfAnotherEncodeIsNotUsed() throws Exception {
        Sample other = Sample.of(home, "rs-3-2", sample.content().length, "other");
        Files.copy(other.unit(1), sample.directory().resolve("unit-001.paritas"), StandardCopyOption.REPLACE_EXISTING);
        Inspection inspection = sample.inspected();
        assertThat(inspection.troubles())
                .isEqualTo(Map.of(1, "missing: unit-001.paritas is unit 1 of " + other.group()));
        assertThat(inspection.units().strays()).containsExactly("unit-001.paritas is unit 1 of " + other.group());
        assertThat(sample.decoded()).as("%s", sample).isEqualTo(sample.content());
    }

    /** Copied there, and not to its end yet. */
    @Test
    void aCutUnitOfAnotherFileIsNotOverwritten() throws Exception {
        Sample other = Sample.of(home, "rs-3-2", sample.content().length, "other");
        byte[] cut = Arrays.copyOf(Files.readAllBytes(other.unit(1)), 100);
        Files.write(sample.unit(3), cut);
        Run repair = Run.paritas("repair", sample.directory());
        assertThat(repair.err())
                .isEqualTo("paritas: a repair must not overwrite a unit of another file, the place of unit 3 is taken:"
                        + " unit-003.paritas is unit 1 of " + other.group()
                        + ", wrong length: 100 of 171 bytes: move it away or rename it\n");
        assertThat(repair.status()).isEqualTo(1);
        assertThat(sample.unit(3)).hasBinaryContent(cut);
    }

    @Test
    void twoGroupsThatCouldBeDecodedAreAnError() throws Exception {
        Sample other = Sample.of(home, "rs-3-2", 10, "other");
        for (int unit = 0; unit < 3; unit++) {
            Files.copy(other.unit(unit), sample.directory().resolve("other-" + unit + ".paritas"));
        }
        assertThatExceptionOfType(UnitsException.class)
                .isThrownBy(sample::decoded)
                .withMessageStartingWith("a directory must have the units of one encode")
                .withMessageContaining("units [0, 1, 2] of " + other.group())
                .withMessageContaining("units [0, 1, 2, 3, 4] of " + sample.group());
    }

    @Test
    void theOnlyGroupThatCanBeDecodedMustBeTheLargest() throws Exception {
        Sample wide = Sample.of(home, "rs-20-3", 1000, "wide");
        for (int unit = 0; unit < 5; unit++) {
            Files.copy(wide.unit(unit), sample.directory().resolve("wide-" + unit + ".paritas"));
        }
        assertThatExceptionOfType(UnitsException.class)
                .isThrownBy(sample::decoded)
                .withMessageEndingWith("move the units away that do not belong here");
    }

    @Test
    void aUnitThatIsThereTwiceIsAnError() throws Exception {
        Files.copy(sample.unit(1), sample.directory().resolve("copy.paritas"));
        assertThatExceptionOfType(UnitsException.class)
                .isThrownBy(sample::decoded)
                .withMessage("Each unit exists once in a directory; copy.paritas and unit-001.paritas in "
                        + sample.directory() + " are both unit 1 of " + sample.group() + ". Move one of them away");
    }

    @Test
    void unitsMayBeRenamed() throws Exception {
        Files.move(sample.unit(0), sample.directory().resolve("zero.paritas"));
        assertThat(sample.inspected().sound()).isTrue();
        assertThat(sample.decoded()).as("%s", sample).isEqualTo(sample.content());
    }

    @Test
    void aNewerFormatIsAnErrorAndNoDamage() throws Exception {
        changeVersion(3, 2);
        assertThatExceptionOfType(UnitsException.class)
                .isThrownBy(sample::decoded)
                .withMessage(sample.unit(3) + ": written in format version 2, and this program reads version 1; use a"
                        + " newer Paritas");
    }

    @Test
    void aDirectoryWithoutUsableUnitsIsAnError() throws Exception {
        Path bad = Files.createDirectory(home.resolve("bad"));
        Files.writeString(bad.resolve("unit-000.paritas"), "no unit");
        assertThatExceptionOfType(UnitsException.class)
                .isThrownBy(() -> UnitScan.scan(bad))
                .withMessage("no usable unit file (*.paritas) is in " + bad
                        + "\n  unit-000.paritas: header damaged: the file is too short");
    }

    @Test
    void parityThatDoesNotFitIsNoticedAlthoughItsChecksumIsRight() throws Exception {
        forge(4, 2);
        Inspection inspection = sample.inspected();
        assertThat(inspection.troubles()).isEmpty();
        assertThat(inspection.sound()).isFalse();
        assertThat(inspection.inconsistent()).isEqualTo(new Tally(1, 2));
        assertThat(inspection.verdict()).contains("the parity does not fit the data although all checksums are right");
    }

    @Test
    void parityThatIsNotNeededStillChecksAReconstruction() throws Exception {
        forge(4, 2);
        Files.delete(sample.unit(0));
        assertThat(sample.inspected().inconsistent()).isEqualTo(new Tally(1, 2));
    }

    /** Changes a chunk and makes its checksum fit. */
    private void forge(int unit, long stripe) throws Exception {
        sample.damage(unit, stripe);
        long position = sample.group().chunkPosition(stripe);
        int length = sample.group().cellLength(stripe);
        try (FileChannel file =
                FileChannel.open(sample.unit(unit), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer cell = Transfers.read(file, position, ByteBuffer.allocate(length));
            file.write(checksum(cell), position + length);
        }
    }

    /** Says another format version, and makes the checksum fit. */
    private void changeVersion(int unit, int version) throws Exception {
        try (FileChannel file =
                FileChannel.open(sample.unit(unit), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer header = Transfers.read(file, 0, ByteBuffer.allocate(UnitHeader.LENGTH));
            header.putShort(8, (short) version);
            file.write(header.duplicate(), 0);
            file.write(checksum(header.slice(0, UnitHeader.LENGTH - 4)), UnitHeader.LENGTH - 4);
        }
    }

    private static ByteBuffer checksum(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return ByteBuffer.allocate(Integer.BYTES).putInt(0, (int) crc.getValue());
    }
}
