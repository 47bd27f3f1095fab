/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.Run;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Units of a code of strips, byte by byte and on the command line. */
class StripUnitsTest {
    /** Of the 7 bytes ABCDEFG, in a chunk of 4 bytes for each unit: these literals never change. */
    private static final String[] GOLDEN = {
        "5041524954415300000100400602000200010000000000040000000000000007"
                + "00112233445566778899aabbccddeeff00000000000000000000000026d97d8d"
                + "41424344fb9f8872",
        "5041524954415300000100400602000200010001000000040000000000000007"
                + "00112233445566778899aabbccddeeff0000000000000000000000009f30987d"
                + "45464700d608f6e4",
        "5041524954415300000100400602000200010002000000040000000000000007"
                + "00112233445566778899aabbccddeeff00000000000000000000000050e6c09c"
                + "0642410209a6a5e5",
    };

    @TempDir
    private Path folder;

    /**
     * Over GF(4), the parity is d0 + 3 · d1, and a symbol's high bits are the first strip. With 3 · (a, b) = (b, a + b) its strips are
     * AB + G0 and CD + EF + G0.
     */
    @Test
    void theParityIsThatOfTheFormat() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "ABCDEFG");
        assertThat(Run.paritas(
                                "encode",
                                file,
                                "--code",
                                "strip-2-1-2",
                                "--chunk",
                                "4",
                                "--out",
                                folder.resolve("units"))
                        .status())
                .isZero();
        for (int unit = 0; unit < 3; unit++) {
            byte[] written = Files.readAllBytes(folder.resolve("units/unit-00" + unit + ".paritas"));
            assertThat(HexFormat.of().formatHex(written, 64, written.length))
                    .as("the chunk of unit %s", unit)
                    .isEqualTo(GOLDEN[unit].substring(128));
        }
        assertThat(GOLDEN[2].substring(128, 136)).isEqualTo("06424102");
    }

    @Test
    void unitsOfTheFormatAreRead() throws Exception {
        for (int lost = 0; lost < 3; lost++) {
            Path units = Files.createDirectory(folder.resolve("without-" + lost));
            for (int unit = 0; unit < 3; unit++) {
                if (unit != lost) {
                    Files.write(
                            units.resolve("unit-00" + unit + ".paritas"),
                            HexFormat.of().parseHex(GOLDEN[unit]));
                }
            }
            Path decoded = folder.resolve("decoded-" + lost);
            assertThat(Run.paritas("decode", units, "--out", decoded).status()).isZero();
            assertThat(decoded).hasContent("ABCDEFG");
            assertThat(Run.paritas("repair", units).status()).isZero();
            assertThat(Files.readAllBytes(units.resolve("unit-00" + lost + ".paritas")))
                    .isEqualTo(HexFormat.of().parseHex(GOLDEN[lost]));
            assertThat(Run.paritas("verify", units).out()).contains("strip-2-1-2 of a file of 7 bytes");
        }
    }

    /** Parity that was changed together with its checksum. */
    @Test
    void parityThatDoesNotFitIsFound() throws Exception {
        Path units = Files.createDirectory(folder.resolve("units"));
        for (int unit = 0; unit < 3; unit++) {
            Files.write(
                    units.resolve("unit-00" + unit + ".paritas"), HexFormat.of().parseHex(GOLDEN[unit]));
        }
        byte[] parity = HexFormat.of().parseHex(GOLDEN[2]);
        byte[] data = HexFormat.of().parseHex(GOLDEN[0]);
        System.arraycopy(data, 64, parity, 64, 8); // a data unit's chunk, which is intact
        Files.write(units.resolve("unit-002.paritas"), parity);

        Run verify = Run.paritas("verify", units);

        assertThat(verify.status()).isNotZero();
        assertThat(verify.out() + verify.err())
                .contains("the parity does not fit the data although all checksums are right");
    }

    @Test
    void theDefaultChunkFits() throws Exception {
        byte[] content = new byte[3_000_000];
        new java.util.Random(1).nextBytes(content);
        Path file = Files.write(folder.resolve("file"), content);
        Path units = folder.resolve("units");
        assertThat(Run.paritas("encode", file, "--code", "strip-6-3-7", "--out", units)
                        .out())
                .contains("as strip-6-3-7 into the 9 units");
        for (int lost = 1; lost < 4; lost++) {
            Files.delete(units.resolve("unit-00" + lost + ".paritas"));
        }
        Path decoded = folder.resolve("decoded");
        assertThat(Run.paritas("decode", units, "--out", decoded).status()).isZero();
        assertThat(decoded).hasBinaryContent(content);
        Run wrong =
                Run.paritas("encode", file, "--code", "strip-6-3-7", "--chunk", "256k", "--out", folder.resolve("x"));
        assertThat(wrong.err())
                .contains("a chunk of strip-6-3-7 is cut into 7 equal strips, so it must be a multiple of 7, got 262144"
                        + " bytes; use 262150");
        assertThat(new String(Files.readAllBytes(units.resolve("unit-000.paritas")), 0, 7, StandardCharsets.US_ASCII))
                .isEqualTo("PARITAS");
    }

    @Test
    void aStrayUnitOfAnotherEncodeIsIgnored() throws Exception {
        Sample sample = Sample.of(folder, "strip-4-2-4", 1000);
        Sample other = Sample.of(folder, "rs-3-2", 1000, "others");
        Files.copy(other.unit(4), sample.directory().resolve("stray.paritas"));
        Files.delete(sample.unit(1));
        assertThat(sample.decoded()).as("%s", sample).isEqualTo(sample.content());
        assertThat(UnitScan.scan(sample.directory()).strays())
                .containsExactly("stray.paritas is unit 4 of " + other.group());
    }
}
