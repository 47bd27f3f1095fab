/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paritas.erasure.file.UnitsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Units of lrc-6-2-2: data 0, 1, 2 with local parity 8, data 3, 4, 5 with local parity 9, global parity 6, 7. */
class LocalReconstructionTest {
    private static final int STRIPES = 5;

    @TempDir
    private Path home;

    private Sample sample;
    private Map<String, String> before;

    @BeforeEach
    void encode() throws Exception {
        sample = Sample.of(home, "lrc-6-2-2", (STRIPES - 1) * 6 * Sample.CHUNK + 7);
        before = sample.bytes();
    }

    private void delete(int... units) throws Exception {
        for (int unit : units) {
            Files.delete(sample.unit(unit));
        }
    }

    @Test
    void everyLossOfThreeUnitsIsUndone() throws Exception {
        for (int first = 0; first < 10; first++) {
            for (int second = first + 1; second < 10; second++) {
                for (int third = second + 1; third < 10; third++) {
                    delete(first, second, third);
                    assertThat(sample.decoded()).as("%s", sample).isEqualTo(sample.content());
                    Repairer.repair(sample.inspected());
                    assertThat(sample.bytes())
                            .as("%s without %d, %d and %d", sample, first, second, third)
                            .isEqualTo(before);
                }
            }
        }
    }

    @Test
    void oneUnitIsRepairedFromItsGroup() throws Exception {
        for (int unit = 0; unit < 10; unit++) {
            delete(unit);
            boolean global = unit == 6 || unit == 7;
            assertThat(Repairer.repair(sample.inspected()).units()).isEqualTo(global ? 6 : 3);
            assertThat(sample.bytes()).as("%s without %d", sample, unit).isEqualTo(before);
        }
    }

    @Test
    void fourLossesAreUndoneIfTheGroupsAllowIt() throws Exception {
        delete(0, 1, 4, 9);
        assertThat(sample.decoded()).as("%s", sample).isEqualTo(sample.content());
        Repairer.repair(sample.inspected());
        assertThat(sample.bytes()).as("%s", sample).isEqualTo(before);
    }

    @Test
    void otherFourLossesAreAnError() throws Exception {
        delete(0, 1, 2, 8);
        assertThatExceptionOfType(UnitsException.class)
                .isThrownBy(sample::decoded)
                .withMessage(
                        "each stripe of lrc-6-2-2 needs 6 of 10 chunks that do not depend on one another, stripe 0 of"
                                + " 5 has 6; bring back one of\n"
                                + "  unit 0: missing\n"
                                + "  unit 1: missing\n"
                                + "  unit 2: missing\n"
                                + "  unit 8: missing");
        Inspection inspection = sample.inspected();
        assertThat(inspection.unrecoverable()).isEqualTo(new Tally(STRIPES, 0));
        assertThat(inspection.verdict())
                .isEqualTo("5 of 5 stripes cannot be repaired, the first is stripe 0: lrc-6-2-2 cannot reconstruct the"
                        + " damaged chunks from those that are left");
    }

    @Test
    void aDamagedChunkInTheGroupIsMadeUpByTheOtherUnits() throws Exception {
        delete(3);
        sample.damage(4, 2);
        sample.damage(7, 2);
        sample.damage(0, 1);
        assertThat(sample.decoded()).as("%s", sample).isEqualTo(sample.content());
        Repairer.repair(sample.inspected());
        assertThat(sample.bytes()).as("%s", sample).isEqualTo(before);
    }

    /** Six units of one group are enough, six of the other are not: only the first can be meant. */
    @Test
    void unitsThatDependOnOneAnotherDoNotMakeAGroupDecodable() throws Exception {
        Sample other = Sample.of(home, "lrc-6-2-2", 100, "other");
        delete(0, 1, 4);
        for (int unit : new int[] {3, 4, 5, 6, 7, 9}) {
            Files.copy(other.unit(unit), sample.directory().resolve("other-" + unit + ".paritas"));
        }
        assertThat(UnitScan.scan(sample.directory()).group()).isEqualTo(sample.group());
    }
}
