/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.erasure.Stripes;
import io.paritas.erasure.kernel.CodingFaultException;
import io.paritas.erasure.kernel.xor.StripKernels.Tier;
import java.util.List;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Kernels of strips that make mistakes, from their first call on. */
class StripFoldsTest {
    private static final int W = 4;
    private static final int UNITS_READ = 5;
    private static final int UNITS_MADE = 2;
    private static final int BLOCK = 700;

    private final Random random = Stripes.random("strip faults");

    /** Five random rows, and the three special ones. */
    private final BlockProgram program = BlockProgram.of(Scheduler.DEPTH_FIRST.schedule(XorProgram.optimised(
            UNITS_READ * W, RandomRows.of(UNITS_MADE * W - 3, UNITS_READ * W, random), Deadline.never())));

    private final PacketLayout layout = new PacketLayout(W, UNITS_READ, UNITS_MADE, program.scratch());

    static List<Tier> tiers() {
        return StripKernelsTest.tiers().toList();
    }

    /** Runs the program in plain Java, and flips a bit of a statement's result in one of the runs. */
    private final class Faulty implements BlockRunner {
        private final int statement;
        private final int run;
        private final IntUnaryOperator place;
        private int runs;

        /** @param place of the byte with the fault in a block of some size */
        Faulty(int statement, int run, IntUnaryOperator place) {
            this.statement = statement;
            this.run = run;
            this.place = place;
        }

        @Override
        public void run(byte[][] arrays, int[] offsets, int length) {
            List<Statement> statements = program.statements();
            for (int i = 0; i < statements.size(); i++) {
                Statement now = statements.get(i);
                for (int x = 0; x < length; x++) {
                    byte sum = 0;
                    for (int argument : now.arguments()) {
                        sum ^= arrays[argument][offsets[argument] + x];
                    }
                    arrays[now.target()][offsets[now.target()] + x] = sum;
                }
                if (i == statement && runs == run) {
                    arrays[now.target()][offsets[now.target()] + place.applyAsInt(length)] ^= 8;
                }
            }
            runs++;
        }
    }

    @ParameterizedTest
    @MethodSource("tiers")
    void everyFlipInABlockIsNoticed(Tier tier) {
        int length = 2 * BLOCK + 133;
        for (int statement = 0; statement < program.statements().size(); statement++) {
            for (int run = 0; run < 3; run++) {
                Faulty faulty = new Faulty(statement, run, random::nextInt);
                notices(
                        new BlockKernel(
                                program.inputs(),
                                program.outputs(),
                                program.scratch(),
                                faulty,
                                BLOCK,
                                tier.folds(program)),
                        W * length,
                        statement);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("tiers")
    void everyFlipInAPacketIsNoticed(Tier tier) {
        int groups = 2 * PacketRunner.GROUPS + 3;
        for (int statement = 0; statement < program.statements().size(); statement++) {
            Faulty faulty = new Faulty(statement, random.nextInt(groups), random::nextInt);
            notices(
                    new PacketKernel(layout, new StatementPacketRunner(layout, faulty), tier.folds(program, layout)),
                    groups * layout.groupBytes(),
                    statement);
        }
    }

    @ParameterizedTest
    @MethodSource("tiers")
    void equalFlipsInTwoBlocksAreNoticed(Tier tier) {
        int output = program.inputs();
        BlockRunner right = Tier.PLAIN.statements(program);
        BlockRunner wrong = (arrays, offsets, length) -> {
            right.run(arrays, offsets, length);
            arrays[output][offsets[output] + 5] ^= 8;
        };
        notices(
                new BlockKernel(
                        program.inputs(), program.outputs(), program.scratch(), wrong, BLOCK, tier.folds(program)),
                W * 2 * BLOCK,
                0);
    }

    private void notices(StripKernel kernel, int unitLength, int statement) {
        byte[][] inputs = Stripes.units(UNITS_READ, unitLength, random);
        byte[][] outputs = new byte[UNITS_MADE][unitLength];
        assertThatThrownBy(() -> kernel.apply(Strips.of(W, inputs), Strips.of(W, outputs)))
                .as("statement %d, seed %d", statement, Stripes.SEED)
                .isInstanceOf(CodingFaultException.class)
                .hasMessageStartingWith("coding 5 units to 2 went wrong in this process");
    }
}
