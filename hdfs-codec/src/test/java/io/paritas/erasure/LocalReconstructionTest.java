/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.erasure.kernel.Regions;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Local reconstruction codes: every loss of every frozen code, against what the groups alone say. */
class LocalReconstructionTest {
    private static final int LENGTH = 64 + 13;
    private static final LrcParameters AZURE = new LrcParameters(12, 2, 2);

    static Stream<LrcParameters> shapes() {
        return Stream.of(new LrcParameters(6, 2, 2), AZURE, new LrcParameters(10, 2, 2), new LrcParameters(16, 2, 4));
    }

    /**
     * The most that any code with these groups can do: a group's own parity makes up for one loss in it, and what is
     * left over, of all groups and of the global parity units, is at most r.
     */
    static boolean recoverable(LrcParameters code, Erasures missing) {
        int[] lost = new int[code.l()];
        int global = 0;
        for (int unit : missing.toArray()) {
            if (unit < code.k()) {
                lost[unit / code.groupSize()]++;
            } else if (unit < code.k() + code.r()) {
                global++;
            } else {
                lost[unit - code.k() - code.r()]++;
            }
        }
        return global + Arrays.stream(lost).map(count -> Math.max(0, count - 1)).sum() <= code.r();
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void repairsExactlyWhatItsGroupsAllow(LrcParameters shape) {
        ErasureCode code = ErasureCode.lrc(shape);
        byte[][] units = Stripes.encoded(code, LENGTH, Stripes.random("lrc", shape.k()));
        Stripes.allErasures(shape.code()).forEach(missing -> {
            assertThat(code.canReconstruct(missing))
                    .as("%s without %s", shape, missing)
                    .isEqualTo(recoverable(shape, missing));
            if (!recoverable(shape, missing)) {
                assertThatThrownBy(() -> code.repairPlan(missing)).isInstanceOf(UnrecoverableException.class);
            } else if (Stripes.isCompared(
                    missing, shape.code().n() <= 16 ? 1 : 16)) { // of 110,055 patterns, bytes of some
                byte[][] damaged = Stripes.damaged(units, missing);
                code.reconstruct(damaged, missing);
                assertThat(Arrays.deepEquals(damaged, units))
                        .as("%s without %s, seed %d", code, missing, Stripes.SEED)
                        .isTrue();
            }
        });
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void theLocalParityIsTheXorOfItsGroup(LrcParameters shape) {
        int[][] rows = Generators.lrc(shape).toRows();
        for (int group = 0; group < shape.l(); group++) {
            int mine = group;
            assertThat(rows[shape.r() + group])
                    .isEqualTo(IntStream.range(0, shape.k())
                            .map(j -> j / shape.groupSize() == mine ? 1 : 0)
                            .toArray());
        }
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void oneLossInAGroupReadsOnlyTheGroup(LrcParameters shape) {
        ErasureCode code = ErasureCode.lrc(shape);
        for (int group = 0; group < shape.l(); group++) {
            int from = group * shape.groupSize();
            int local = shape.k() + shape.r() + group;
            int[] members = IntStream.concat(IntStream.range(from, from + shape.groupSize()), IntStream.of(local))
                    .toArray();
            for (int lost : members) {
                assertThat(code.repairPlan(Erasures.of(lost)).sources())
                        .isEqualTo(Arrays.stream(members)
                                .filter(unit -> unit != lost)
                                .toArray())
                        .hasSize(shape.groupSize());
            }
        }
    }

    @Test
    void oneLossInEachGroupReadsNoGlobalParity() {
        ErasureCode code = ErasureCode.lrc(AZURE);
        assertThat(code.repairPlan(Erasures.of(2, 7)).sources())
                .containsExactly(0, 1, 3, 4, 5, 6, 8, 9, 10, 11, 14, 15);
        assertThat(code.repairPlan(Erasures.of(2, 7), Erasures.of(7)).sources()).containsExactly(6, 8, 9, 10, 11, 15);
    }

    @Test
    void aGlobalParityUnitIsMadeOfTheData() {
        assertThat(ErasureCode.lrc(AZURE).repairPlan(Erasures.of(13)).sources())
                .containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    }

    @Test
    void whatTheGroupsDoNotAllowIsSaid() {
        ErasureCode code = ErasureCode.lrc(AZURE);
        assertThatThrownBy(() -> code.repairPlan(Erasures.of(0, 1, 2, 14)))
                .isInstanceOf(UnrecoverableException.class)
                .hasMessage("units [0, 1, 2, 14] of a (12,4) code cannot be reconstructed without [0, 1, 2, 14]: the 12"
                        + " units that are left are worth 11 of the 12 independent units needed");
        assertThatThrownBy(() -> code.repairPlan(Erasures.of(0, 1, 2, 14, 6)))
                .hasMessage("a (12,4) code reconstructs at most 4 missing units, 5 are missing: [0, 1, 2, 6, 14]");
    }

    /** One group is beyond repair; the other one still repairs itself. */
    @Test
    void aGroupIsRepairedThoughAnotherOneIsLost() {
        ErasureCode code = ErasureCode.lrc(AZURE);
        byte[][] units = Stripes.encoded(code, LENGTH, Stripes.random("group"));
        Erasures missing = Erasures.of(0, 1, 2, 3, 4, 9);
        assertThat(code.canReconstruct(missing)).isFalse();
        RepairPlan plan = code.repairPlan(missing, Erasures.of(9));
        byte[] repaired = new byte[LENGTH];
        plan.apply(
                Regions.of(Arrays.stream(plan.sources())
                        .mapToObj(unit -> units[unit])
                        .toArray(byte[][]::new)),
                Regions.of(repaired));
        assertThat(repaired).isEqualTo(units[9]);
    }

    @Test
    void theKernelIsChecked() {
        shapes().forEach(shape -> ErasureCode.lrc(shape).selfCheck());
    }

    @Test
    void verifyComparesWhatIsLeft() {
        ErasureCode code = ErasureCode.lrc(AZURE);
        byte[][] units = Stripes.encoded(code, LENGTH, Stripes.random("verify lrc"));
        Erasures missing = Erasures.of(0, 7, 8);
        assertThat(code.verify(units, missing)).isTrue();
        for (int unit = 0; unit < units.length; unit++) {
            units[unit][LENGTH - 1] ^= 1;
            assertThat(code.verify(units, missing)).as("unit %d", unit).isEqualTo(missing.contains(unit));
            units[unit][LENGTH - 1] ^= 1;
        }
    }
}
