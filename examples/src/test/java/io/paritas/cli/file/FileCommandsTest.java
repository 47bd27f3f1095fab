/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.Run;
import io.paritas.erasure.CodeName;
import io.paritas.erasure.file.ChunkSize;
import io.paritas.erasure.file.UnitGroup;
import io.paritas.erasure.file.UnitHeader;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileCommandsTest {
    private static final int LENGTH = 12_345;

    @TempDir
    private Path home;

    private Path file;
    private Path units;
    private Path decoded;

    @BeforeEach
    void write() throws Exception {
        byte[] content = new byte[LENGTH];
        new Random(1).nextBytes(content);
        file = Files.write(home.resolve("file"), content);
        units = home.resolve("units");
        decoded = home.resolve("decoded");
    }

    @Test
    void encodesAndDecodes() throws Exception {
        Run encode = Run.paritas("encode", file, "--out", units);
        assertThat(encode.out())
                .startsWith("Encoded " + file + ", 12,345 bytes, as paritas-6-3 into the 9 units of " + units + ": ")
                .contains(" kernel (");
        assertThat(encode.status()).isZero();
        Run decode = Run.paritas("decode", units, "--out", decoded);
        assertThat(decode.out())
                .startsWith("Decoded " + decoded + ", 12,345 bytes, from 6 of the 9 units of paritas-6-3 in " + units);
        assertThat(decode.err()).doesNotContain("Damaged");
        assertThat(decode.status()).isZero();
        assertThat(decoded).hasSameBinaryContentAs(file);
    }

    /** The file systems of the kernel say 0 for what they make while it is read. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void refusesAFileThatIsLongerThanItsFileSystemSays() {
        Run encode = Run.paritas("encode", "/proc/self/status", "--out", units);
        assertThat(encode.err())
                .isEqualTo("paritas: a file must be as long as its file system says, /proc/self/status has more than 0"
                        + " bytes. Copy it, and encode the copy\n");
        assertThat(encode.status()).isEqualTo(1);
        assertThat(units).doesNotExist();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aFileThatCannotBeReadIsNamed() {
        Run encode = Run.paritas("encode", "/proc/self/mem", "--out", units);
        assertThat(encode.err()).isEqualTo("paritas: /proc/self/mem: Input/output error\n");
        assertThat(encode.status()).isEqualTo(1);
        assertThat(units).doesNotExist();
    }

    /** Of six units of each file that it takes, four and five have names. */
    @Test
    void unitsOfAKilledReplacementAreNamed() throws Exception {
        Run.paritas("encode", Files.writeString(home.resolve("before"), "before"), "--out", units);
        UnitGroup before = UnitScan.scan(units).group();
        Path other = home.resolve("other");
        Run.paritas("encode", file, "--out", other);
        UnitGroup group = UnitScan.scan(other).group();
        for (String unit : Sample.names(other)) {
            boolean named = unit.compareTo("unit-004") < 0;
            Files.move(
                    other.resolve(unit),
                    units.resolve(named ? unit : unit + ".77.tmp"),
                    StandardCopyOption.REPLACE_EXISTING);
        }
        Run decode = Run.paritas("decode", units, "--out", decoded);
        assertThat(decode.err())
                .isEqualTo("paritas: a directory must have the units of one encode, or enough units of exactly one, in "
                        + units + " are\n  units [0, 1, 2, 3] of " + group + "\n  units [4, 5, 6, 7, 8] of " + before
                        + "\n  units [4, 5, 6, 7, 8] of " + group + " are complete under temporary names, as a program"
                        + " was killed before it renamed them, or still writes them: unit-004.paritas.77.tmp should be unit-004.paritas: move"
                        + " the units away that do not belong here, and rename those that do, or encode again\n");
        for (int unit = 4; unit < 9; unit++) {
            Path place = units.resolve(UnitGroup.fileName(unit));
            Files.move(units.resolve(place.getFileName() + ".77.tmp"), place, StandardCopyOption.REPLACE_EXISTING);
        }
        assertThat(Run.paritas("verify", units).status()).isZero();
        Run.paritas("decode", units, "--out", decoded);
        assertThat(decoded).hasSameBinaryContentAs(file);
    }

    /** It has written all, and given no names. */
    @Test
    void unitsOfAKilledEncodeAreNamed() throws Exception {
        Run.paritas("encode", file, "--out", units, "--code", "xor-2");
        UnitGroup group = UnitScan.scan(units).group();
        for (String unit : Sample.names(units)) {
            Files.move(units.resolve(unit), units.resolve(unit + ".77.tmp"));
        }
        Run verify = Run.paritas("verify", units);
        assertThat(verify.err())
                .isEqualTo(
                        "paritas: no usable unit file (*.paritas) is in " + units + "\n  units [0, 1, 2] of " + group
                                + " are complete under temporary names, as a program was killed before it renamed them,"
                                + " or still writes them: unit-000.paritas.77.tmp should be unit-000.paritas: rename them, or encode again\n");
        assertThat(verify.status()).isEqualTo(3);
    }

    @Test
    void filesOfKilledProgramsAreTold() throws Exception {
        Run.paritas("encode", file, "--out", units);
        Files.copy(units.resolve("unit-000.paritas"), units.resolve("unit-000.paritas.12.tmp")); // as of repair
        Files.writeString(units.resolve("unit-001.paritas.34.tmp"), "begun");
        String told = "a program that was killed has left 2 temporary files, "
                + (5 + Files.size(units.resolve("unit-000.paritas"))) / 1000 + ",";
        String delete = " bytes, such as unit-000.paritas.12.tmp: delete them, unless a program still writes them\n";
        Run verify = Run.paritas("verify", units);
        assertThat(verify.out()).contains("\n  not used  " + told, delete + "all units are sound\n");
        assertThat(verify.status()).isZero();
        assertThat(Run.paritas("repair", units).out()).contains("\n  not used  " + told, delete);

        Run encode = Run.paritas("encode", file, "--out", units, "--force");
        assertThat(encode.err()).contains("Not used: " + told, delete);
        verify = Run.paritas("verify", units);
        assertThat(verify.out())
                .as("of another encode")
                .contains("\n  not used  " + told, delete + "all units are sound\n");
    }

    /** Of three units, one has its name. */
    @Test
    void unitsOfAKilledFirstEncodeAreNamed() throws Exception {
        Run.paritas("encode", file, "--out", units, "--code", "xor-2");
        UnitGroup group = UnitScan.scan(units).group();
        for (int unit = 1; unit < 3; unit++) {
            Path place = units.resolve(UnitGroup.fileName(unit));
            Files.move(place, units.resolve(place.getFileName() + ".77.tmp"));
        }
        Run decode = Run.paritas("decode", units, "--out", decoded);
        assertThat(decode.err())
                .isEqualTo("paritas: each stripe of xor-2 needs 2 of 3 chunks, stripe 0 of 1 has 1; bring back one of\n"
                        + "  unit 1: missing\n  unit 2: missing\n  units [1, 2] of " + group
                        + " are complete under temporary names, as a program was killed before it renamed them, or still"
                        + " writes them: unit-001.paritas.77.tmp should be unit-001.paritas\n");
    }

    /** Which others take for a file with more arguments. */
    @Test
    void aNameMayStartWithAnAt() throws Exception {
        String name = "@" + Files.writeString(home.resolve("words"), "--help");
        Run encode = Run.paritas("encode", name, "--out", units);
        assertThat(encode.err()).startsWith("paritas: FILE must be an existing file, got " + name + "\n");
        assertThat(encode.status()).isEqualTo(2);
    }

    @Test
    void takesTheCodeAndTheChunkThatItIsTold() throws Exception {
        Run.paritas("encode", file, "--out", units, "--code", "xor-2", "--chunk", "1k");
        UnitGroup group = UnitScan.scan(units).group();
        assertThat(group.code()).isEqualTo(CodeName.parse("xor-2"));
        assertThat(group.chunk()).isEqualTo(new ChunkSize(1024));
    }

    @Test
    void verifiesSoundUnits() {
        Run.paritas("encode", file, "--out", units);
        Run verify = Run.paritas("verify", units);
        assertThat(verify.out())
                .containsPattern("paritas-6-3 of a file of 12345 bytes, group [0-9a-f]{8}\n"
                        + "all units are sound\nVerified 19,134 bytes: ");
        assertThat(verify.status()).isZero();
    }

    @Test
    void verifyShowsDamageAndRepairUndoesIt() throws Exception {
        Run.paritas("encode", file, "--out", units);
        byte[] lost = Files.readAllBytes(units.resolve("unit-003.paritas"));
        Files.delete(units.resolve("unit-003.paritas"));
        Run verify = Run.paritas("verify", units);
        assertThat(verify.out()).contains("\n  unit   3  missing\neverything can be repaired\n");
        assertThat(verify.status()).isEqualTo(1);
        assertThat(units.resolve("unit-003.paritas")).doesNotExist();

        Run repair = Run.paritas("repair", units);
        assertThat(repair.out()).contains("\n  unit   3  missing\nRepaired 1 units of " + units + " from 6 units: ");
        assertThat(repair.status()).isZero();
        assertThat(units.resolve("unit-003.paritas")).hasBinaryContent(lost);
        assertThat(Run.paritas("repair", units).out()).endsWith("all units are sound\n");
    }

    @Test
    void aSingleLossOfALocalReconstructionCodeIsRepairedFromItsGroup() throws Exception {
        Run.paritas("encode", file, "--out", units, "--code", "lrc-12-2-2", "--chunk", "100");
        assertThat(Sample.names(units)).hasSize(16);
        byte[] lost = Files.readAllBytes(units.resolve("unit-008.paritas"));
        Files.delete(units.resolve("unit-008.paritas"));
        assertThat(Run.paritas("verify", units).out()).contains("\n  unit   8  missing\neverything can be repaired\n");
        Run repair = Run.paritas("repair", units);
        assertThat(repair.out()).contains("\nRepaired 1 units of " + units + " from 6 units: ");
        assertThat(units.resolve("unit-008.paritas")).hasBinaryContent(lost);
        assertThat(Run.paritas("verify", units).status()).isZero();
    }

    /** Units of the other group that nobody may read prove that nobody reads them. */
    @Test
    void missingOnlyReadsNoMoreThanItTakes() throws Exception {
        Run.paritas("encode", file, "--out", units, "--code", "lrc-12-2-2", "--chunk", "100");
        byte[] lost = Files.readAllBytes(units.resolve("unit-008.paritas"));
        Files.delete(units.resolve("unit-008.paritas"));
        for (int unit : new int[] {0, 1, 2, 3, 4, 5, 12, 13, 14}) {
            Path other = units.resolve(String.format("unit-%03d.paritas", unit));
            byte[] content = Files.readAllBytes(other);
            Arrays.fill(content, UnitHeader.LENGTH, content.length, (byte) 0x55);
            Files.write(other, content);
        }
        assertThat(Run.paritas("repair", units).status()).isEqualTo(1);
        Run repair = Run.paritas("repair", units, "--missing-only");
        assertThat(repair.out()).contains("\n  unit   8  missing\nRepaired 1 units of " + units + " from 6 units: ");
        assertThat(units.resolve("unit-008.paritas")).hasBinaryContent(lost);
        assertThat(Run.paritas("repair", units, "--missing-only").out()).endsWith("no unit is missing\n");
    }

    @Test
    void tooMuchDamageIsSaidWithoutAStackTrace() throws Exception {
        Run.paritas("encode", file, "--out", units, "--code", "xor-2");
        Files.delete(units.resolve("unit-000.paritas"));
        Files.delete(units.resolve("unit-002.paritas"));
        Run decode = Run.paritas("decode", units, "--out", decoded);
        assertThat(decode.err())
                .isEqualTo("paritas: each stripe of xor-2 needs 2 of 3 chunks, stripe 0 of 1 has 1; bring back one of\n"
                        + "  unit 0: missing\n  unit 2: missing\n");
        assertThat(decode.status()).isEqualTo(1);
        assertThat(Sample.names(home)).containsExactly("file", "units");
        assertThat(Run.paritas("repair", units).err()).startsWith("paritas: 1 of 1 stripes cannot be repaired");
        assertThat(Run.paritas("verify", units).status()).isEqualTo(1);
    }

    @Test
    void verboseAddsTheStackTrace() throws Exception {
        Files.createDirectory(units);
        assertThat(Run.paritas("verify", units, "--verbose").err())
                .startsWith("paritas: no usable unit file (*.paritas) is in " + units + "\n")
                .contains("\tat io.paritas.cli.file.UnitScan");
    }

    @Test
    void encodeReplacesUnitsOnlyWhenForced() throws Exception {
        Run.paritas("encode", file, "--out", units);
        Run again = Run.paritas("encode", file, "--out", units, "--code", "rs-3-2");
        assertThat(again.err())
                .isEqualTo("paritas: DIR must not have units, unless --force replaces them, " + units
                        + " has 9\nTry 'paritas encode --help'.\n");
        assertThat(again.status()).isEqualTo(2);
        assertThat(Run.paritas("encode", file, "--out", units, "--code", "rs-3-2", "--force")
                        .status())
                .isZero();
        assertThat(Sample.names(units)).hasSize(5);
        assertThat(Run.paritas("verify", units).status()).isZero();
    }

    @Test
    void forceReplacesNoUnitWithItsFileAndNoFileWithItsUnits() {
        Run.paritas("encode", file, "--out", units);
        Path unit = units.resolve("unit-000.paritas");
        assertUsageError("FILE must not be a unit of DIR, got " + unit, "encode", unit, "--out", units, "--force");
        assertUsageError("FILE must not be a unit of DIR, got " + unit, "decode", units, "--out", unit, "--force");
        assertThat(Run.paritas("verify", units).status()).isZero();
    }

    /** As when the disk behind a link is gone. */
    @Test
    void forceWorksBesideALinkThatLeadsNowhere() throws Exception {
        Run.paritas("encode", file, "--out", units);
        Path unit = units.resolve("unit-003.paritas");
        Files.delete(unit);
        Files.createSymbolicLink(unit, home.resolve("gone/unit-003.paritas"));
        Files.writeString(decoded, "old");
        Run decode = Run.paritas("decode", units, "--out", decoded, "--force");
        assertThat(decode.out()).contains(" from 6 of the 9 units ");
        assertThat(decode.err())
                .contains("Damaged or missing, and reconstructed from the others: units [3]: 'paritas repair " + units
                        + "' makes them anew");
        assertThat(decode.status()).isZero();
        assertThat(decoded).hasSameBinaryContentAs(file);
        assertThat(Run.paritas("encode", file, "--out", units, "--force").status())
                .isZero();
        assertThat(Run.paritas("verify", units).status()).isZero();
    }

    @Test
    void forceLeavesNoLinkOfAnEarlierEncode() throws Exception {
        Run.paritas("encode", file, "--out", units);
        Path unit = units.resolve("unit-008.paritas");
        Files.delete(unit);
        Files.createSymbolicLink(unit, home.resolve("gone/unit-008.paritas"));
        assertThat(Run.paritas("encode", file, "--out", units, "--code", "rs-3-2", "--force")
                        .status())
                .isZero();
        assertThat(Files.exists(unit, LinkOption.NOFOLLOW_LINKS)).isFalse();
        assertThat(Run.paritas("verify", units).out()).doesNotContain("unit-008");
    }

    @Test
    void encodeTakesADirectoryWithOtherFiles() throws Exception {
        Files.createDirectory(units);
        Files.writeString(units.resolve("notes.txt"), "mine");
        assertThat(Run.paritas("encode", file, "--out", units).status()).isZero();
        assertThat(Sample.names(units)).hasSize(10).contains("notes.txt");
    }

    @Test
    void decodeReplacesTheFileOnlyWhenForced() throws Exception {
        Run.paritas("encode", file, "--out", units);
        Files.writeString(decoded, "precious");
        Run decode = Run.paritas("decode", units, "--out", decoded);
        assertThat(decode.err()).startsWith("paritas: FILE must not exist, unless --force replaces it, got " + decoded);
        assertThat(decode.status()).isEqualTo(2);
        assertThat(decoded).hasContent("precious");
        assertThat(Run.paritas("decode", units, "--out", decoded, "--force").status())
                .isZero();
        assertThat(decoded).hasSameBinaryContentAs(file);
    }

    @Test
    void forceReplacesNothingButFiles() throws Exception {
        Run.paritas("encode", file, "--out", units);
        Path link = Files.createSymbolicLink(decoded, file);
        assertThat(Run.paritas("decode", units, "--out", link, "--force").err())
                .startsWith("paritas: --force must replace a file, not a directory, link or device, got " + link);
    }

    @Test
    void whatIsNotThereIsWrongUsage() {
        Path nowhere = home.resolve("nowhere");
        assertUsageError("FILE must be an existing file, got " + nowhere, "encode", nowhere, "--out", units);
        assertUsageError("DIR must be a directory or not exist, got " + file, "encode", file, "--out", file);
        assertUsageError("DIR must be the directory of the units, got " + nowhere, "verify", nowhere);
        assertUsageError("DIR must be the directory of the units, got " + nowhere, "repair", nowhere);
        assertUsageError("DIR must be the directory of the units, got " + nowhere, "decode", nowhere, "--out", "x");
        Run.paritas("encode", file, "--out", units);
        assertUsageError(
                "FILE must be in an existing directory, got " + nowhere.resolve("x"),
                "decode",
                units,
                "--out",
                nowhere.resolve("x"));
    }

    @Test
    void aBadCodeOrChunkIsWrongUsage() {
        assertUsageError(
                "Invalid value for option '--code': a code for files may also be strip-K-R-W, with W strips in a unit; a"
                        + " code must be K-R, paritas-K-R, rs-K-R, isal-K-R, xor-K or"
                        + " lrc-K-R-L, with K"
                        + " data units, R parity units and L local ones, such as 6-3, rs-6-3, isal-4-2, xor-2 or"
                        + " lrc-12-2-2, got 'raid5'",
                "encode",
                file,
                "--out",
                units,
                "--code",
                "raid5");
        assertUsageError(
                "Invalid value for option '--chunk': a chunk must have 1 byte to 16m, such as 4096, 256k or 1m, got"
                        + " 'big'",
                "encode",
                file,
                "--out",
                units,
                "--chunk",
                "big");
        assertUsageError(
                "a stripe, one chunk of each unit, must have at most 256 MiB, got 24 chunks of 16777216 bytes; choose a"
                        + " smaller chunk",
                "encode",
                file,
                "--out",
                units,
                "--code",
                "rs-20-4",
                "--chunk",
                "16m");
        assertThat(units).doesNotExist();
    }

    @Test
    void anEncodeThatFailsLeavesNothing() throws Exception {
        Path obstacle = units.resolve("unit-004.paritas");
        Files.createDirectories(obstacle);
        Run encode = Run.paritas("encode", file, "--out", units, "--force");
        assertThat(encode.err()).isEqualTo("paritas: " + obstacle + ": a directory is in the place of a file\n");
        assertThat(encode.status()).isEqualTo(1);
        assertThat(Sample.names(units)).containsExactly("unit-004.paritas");
    }

    @ParameterizedTest
    @ValueSource(strings = {"encode", "decode", "verify", "repair"})
    void helpHasAnExample(String command) {
        Run help = Run.paritas(command, "--help");
        assertThat(help.out())
                .contains("Usage: paritas " + command)
                .contains("Example:\n  paritas " + command + " film");
        assertThat(help.status()).isZero();
    }

    private static void assertUsageError(String message, Object... arguments) {
        Run run = Run.paritas(arguments);
        assertThat(run.err())
                .startsWith("paritas: " + message + "\n")
                .contains("Try 'paritas " + arguments[0] + " --help'.");
        assertThat(run.status()).isEqualTo(2);
    }
}
