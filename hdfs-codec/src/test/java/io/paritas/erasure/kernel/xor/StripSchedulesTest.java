/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paritas.erasure.BitMatrix;
import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.Erasures;
import io.paritas.erasure.Generators;
import io.paritas.erasure.StripCode;
import io.paritas.erasure.StripTuning;
import io.paritas.erasure.Stripes;
import io.paritas.erasure.kernel.Kernel;
import io.paritas.erasure.kernel.Regions;
import io.paritas.erasure.kernel.Tuner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StripSchedulesTest {
    private static final String FILE = "io.paritas.kernel.tuning";
    private static final StripCode CODE = StripCode.of(Generators.hdfsCauchy(new CodeParameters(3, 2)));
    private static final StripSchedules SCHEDULES = StripTuning.encoding(CODE);

    private final String before = System.getProperty(FILE);

    @TempDir
    private Path folder;

    @BeforeEach
    void ownFile() {
        System.setProperty(FILE, file().toString());
    }

    @AfterEach
    void putBack() {
        if (before == null) {
            System.clearProperty(FILE);
        } else {
            System.setProperty(FILE, before);
        }
    }

    private Path file() {
        return folder.resolve("tuning.txt");
    }

    private static void assumeVectors() {
        assumeTrue(
                Tuner.unavailable().isEmpty() && StripKernels.hasVectors(), "skipped: this JVM has no vectors to tune");
    }

    @Test
    void tuningWritesTheBestScheduleWhereCodesFindIt() throws IOException {
        assumeVectors();
        Tuner.Report report = Tuner.tune(SCHEDULES, Duration.ofSeconds(2), 1, result -> {});
        assertThat(report.tried()).isPositive();
        assertThat(report.standard().schedule()).isEqualTo("form=program scheduler=depth_first block=2048");
        assertThat(Files.readString(file()))
                .contains(" | 24 to 16 strips, ", " | " + report.best().schedule());
        assertThat(SCHEDULES.fastest()).hasToString(report.best().schedule());
    }

    @Test
    void takesWhatWasFoundForThisShapeOnThisMachine() throws IOException {
        assumeVectors();
        assertThat(SCHEDULES.fastest()).as("no file").isEqualTo(StripSchedule.STANDARD);
        String found = "form=gemm tile=256 rows=4 vectors=1 packing=off";
        Files.writeString(file(), SCHEDULES.key() + " | " + found + "\n");
        assertThat(SCHEDULES.fastest()).hasToString(found);
        assertThat(StripTuning.decoding(CODE, Erasures.of(1)).fastest())
                .as("another shape")
                .isEqualTo(StripSchedule.STANDARD);
        Files.writeString(file(), SCHEDULES.key() + " | " + found.replace("rows=4", "rows=3") + "\n");
        assertThat(SCHEDULES.fastest()).as("no such kernel").isEqualTo(StripSchedule.STANDARD);
    }

    /** From both forms, by steps and by leaps. */
    @Test
    void everyScheduleComputesTheSameAndCanBeReadAgain() {
        assertThat(SCHEDULES.inputs()).isEqualTo(3);
        assertThat(SCHEDULES.outputs()).isEqualTo(2);
        assertThat(SCHEDULES.length(1000)).as("whole strips").isEqualTo(1000);
        assertThat(SCHEDULES.length(1007)).as("whole strips").isEqualTo(1000);
        Random random = Stripes.random("strip schedules");
        byte[][] units = Stripes.units(5, 8 * 1777, random);
        Regions data = Regions.of(Arrays.copyOf(units, 3));
        CODE.encode(data, Regions.of(units[3], units[4]));
        StripSchedule schedule = SCHEDULES.standard();
        for (int step = 0; step < 60; step++) {
            assertThat(StripSchedule.parse(schedule.toString())).isEqualTo(schedule);
            StripKernel kernel = schedule.compile(24, BitMatrix.rows(CODE.generator()));
            byte[][] parity = new byte[2][8 * 1777];
            kernel.apply(Strips.of(8, data), Strips.of(8, Regions.of(parity)));
            assertThat(parity).as("%s, seed %d", schedule, Stripes.SEED).isDeepEqualTo(new byte[][] {units[3], units[4]
            });
            assertThat(SCHEDULES.without(schedule)).doesNotContainValue(schedule);
            schedule = SCHEDULES.neighbour(schedule, random);
        }
    }

    @Test
    void aKernelThatIsMeasuredComputesUnits() {
        byte[][] units = Stripes.units(5, 800, Stripes.random("measured"));
        CODE.encode(Arrays.copyOf(units, 3), new byte[][] {units[3], units[4]});
        byte[][] lost = new byte[1][800];
        Kernel kernel = StripTuning.decoding(CODE, Erasures.of(1)).compile(StripSchedule.STANDARD);
        kernel.apply(Regions.of(units[0], units[2], units[3]), Regions.of(lost));
        assertThat(lost[0]).isEqualTo(units[1]);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "tile=256 rows=4 vectors=1 packing=off",
                "form=program block=2048",
                "form=program scheduler=depth_first block=0",
                "form=program scheduler=best block=2048",
                "form=gemm tile=256 rows=4 vectors=1",
                "form=gemm tile=256 rows=4 vectors=1 packing=maybe"
            })
    void whatIsNoScheduleIsRefused(String text) {
        assertThatThrownBy(() -> StripSchedule.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void saysWhichFieldsAScheduleHas() {
        assertThatThrownBy(() -> StripSchedule.parse("form=program block=2048"))
                .hasMessage("a schedule must have the fields form, scheduler, block, got 'form=program block=2048'");
    }
}
