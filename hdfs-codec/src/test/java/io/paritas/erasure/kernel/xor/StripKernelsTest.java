/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.erasure.Stripes;
import io.paritas.erasure.kernel.KernelChoice;
import io.paritas.erasure.kernel.xor.StripKernels.Tier;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Both forms against the interpreter, on random programs; on the kernels of this JVM and in plain Java. */
class StripKernelsTest {
    private static final int[] LENGTHS = {1, 7, 8, 64, 100, 777, 2048 + 13};

    static Stream<Tier> tiers() {
        return Stream.of(Tier.PLAIN, Tier.current()).distinct();
    }

    /** Also where other codes run on machine code. */
    @Test
    void takesVectorsWhereThisJvmHasThem() {
        boolean plain = KernelChoice.current().provider().name().equals("plain");
        boolean vectors = KernelChoice.vectorsUnavailable().isEmpty();
        assertThat(Tier.current()).isEqualTo(vectors && !plain ? Tier.VECTOR : Tier.PLAIN);
    }

    @ParameterizedTest
    @MethodSource("tiers")
    void everyScheduleOfEveryProgramComputesWhatTheInterpreterDoes(Tier tier) {
        Random random = Stripes.random("schedules", tier);
        for (int round = 0; round < 30; round++) {
            int inputs = 1 + random.nextInt(40);
            XorProgram rows = XorProgram.ofRows(inputs, RandomRows.of(1 + random.nextInt(20), inputs, random));
            for (XorProgram program : List.of(rows, rows.binary(), rows.fused())) {
                for (Scheduler scheduler : Scheduler.values()) {
                    int blockSize = 1 + random.nextInt(600);
                    StripKernel kernel = StripKernels.program(scheduler.schedule(program), blockSize, tier);
                    computesWhatTheInterpreterDoes(kernel, program, random, tier + " " + scheduler + " " + blockSize);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("tiers")
    void everyShapeOfTheMatrixFormComputesWhatTheInterpreterDoes(Tier tier) {
        Random random = Stripes.random("gemm", tier);
        for (GemmTiling.Packing packing : GemmTiling.Packing.values()) {
            for (int rows : new int[] {1, 2, 4, 8}) {
                for (int vectors = 1; vectors <= 4; vectors++) {
                    int inputs = 1 + random.nextInt(30);
                    List<BitSet> matrix = RandomRows.of(1 + random.nextInt(20), inputs, random);
                    GemmTiling form = new GemmTiling(1 + random.nextInt(900), rows, vectors, packing);
                    StripKernel kernel = StripKernels.gemm(inputs, matrix, form, tier);
                    computesWhatTheInterpreterDoes(
                            kernel, XorProgram.ofRows(inputs, matrix), random, tier + " " + form);
                }
            }
        }
    }

    /** Both runners of packets, without a warm-up between them. */
    @ParameterizedTest
    @MethodSource("tiers")
    void packetsComputeWhatTheInterpreterDoes(Tier tier) {
        Random random = Stripes.random("packets", tier);
        for (int round = 0; round < 20; round++) {
            List<BitSet> rows = RandomRows.of(1 + random.nextInt(60), 1 + random.nextInt(90), random);
            int inputs = 90;
            XorProgram program = XorProgram.optimised(inputs, rows, Deadline.never());
            BlockProgram blocks = BlockProgram.of(Scheduler.DEPTH_FIRST.schedule(program));
            PacketLayout layout = new PacketLayout(1, inputs, rows.size(), blocks.scratch());
            computesWhatTheInterpreterDoes(
                    new PacketKernel(
                            layout,
                            new StatementPacketRunner(layout, Tier.PLAIN.statements(blocks)),
                            Tier.PLAIN.folds(blocks, layout)),
                    program,
                    random);
            if (tier == Tier.VECTOR) {
                computesWhatTheInterpreterDoes(
                        new PacketKernel(layout, new GeneratedPacketRunner(layout, blocks), tier.folds(blocks, layout)),
                        program,
                        random);
            }
        }
    }

    private static void computesWhatTheInterpreterDoes(StripKernel packets, XorProgram program, Random random) {
        for (int groups : new int[] {1, 5, 16, 33}) {
            byte[][] inputs = Stripes.units(program.inputs(), groups * PacketLayout.PACKET, random);
            byte[][] outputs = Stripes.units(program.outputs(), groups * PacketLayout.PACKET, random); // dirty
            packets.apply(Strips.of(1, inputs), Strips.of(1, outputs));
            assertThat(Arrays.deepEquals(outputs, program.interpret(inputs)))
                    .as("%d groups, seed %d:%n%s", groups, Stripes.SEED, program)
                    .isTrue();
        }
    }

    private static void computesWhatTheInterpreterDoes(
            StripKernel kernel, XorProgram program, Random random, String what) {
        for (int length : LENGTHS) {
            byte[][] inputs = Stripes.units(program.inputs(), length, random);
            byte[][] outputs = Stripes.units(program.outputs(), length, random); // dirty
            byte[][] expected = program.interpret(inputs);
            kernel.apply(Strips.of(1, inputs), Strips.of(1, outputs));
            assertThat(Arrays.deepEquals(outputs, expected))
                    .as("%s, %d bytes, seed %d:%n%s", what, length, Stripes.SEED, program)
                    .isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void statementsOfAnyLengthMayWriteOneOfTheirArguments(Scheduler scheduler) {
        Random random = Stripes.random("long", scheduler);
        for (int size = 2; size < 40; size++) {
            BitSet all = new BitSet();
            all.set(0, size);
            BitSet half = new BitSet();
            half.set(0, (size + 1) / 2);
            XorProgram program = XorProgram.ofRows(size, List.of(half, all, all));
            for (XorProgram form : List.of(program, program.binary())) {
                computesWhatTheInterpreterDoes(
                        StripKernels.program(scheduler.schedule(form), 128), form, random, "size " + size);
            }
        }
    }

    @Test
    void shapesAreChecked() {
        ScheduledProgram schedule = Scheduler.NONE.schedule(XorProgram.ofRows(1, List.of()));
        assertThatThrownBy(() -> StripKernels.program(schedule, 0))
                .hasMessage("a block must have at least 1 byte, got 0");
        assertThatThrownBy(() -> new GemmTiling(0, 1, 1, GemmTiling.Packing.ON))
                .hasMessage("a tile must have at least 1 byte, got 0");
        assertThatThrownBy(() -> new GemmTiling(64, 3, 1, GemmTiling.Packing.ON))
                .hasMessage("a block must have 1, 2, 4 or 8 rows, got 3");
        assertThatThrownBy(() -> new GemmTiling(64, 4, 5, GemmTiling.Packing.ON))
                .hasMessage("a block must have 1 to 4 vectors of each row, got 5");
    }
}
