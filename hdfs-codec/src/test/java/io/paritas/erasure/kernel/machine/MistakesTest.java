/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.Generators;
import io.paritas.erasure.kernel.machine.MachineCode.Check;
import io.paritas.erasure.kernel.machine.ProductProgram.Load;
import io.paritas.erasure.kernel.machine.ProductProgram.Statement;
import io.paritas.erasure.kernel.machine.ProductProgram.Store;
import io.paritas.erasure.kernel.machine.ProductProgram.Times;
import io.paritas.erasure.kernel.machine.ProductProgram.Xor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Mutants: every statement of a real code's program is replaced by wrong ones, as a fault of the generator would, and the code
 * that is written for them must notice, without anybody who compares bytes.
 */
class MistakesTest {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 20_261_124L);
    private static final int VECTORS = 7;

    private final Random random = new Random(SEED);

    static List<Target> targets() {
        return KernelWriterTest.targets().toList();
    }

    @ParameterizedTest
    @MethodSource("targets")
    void theSelfCheckNoticesEveryWrongStatement(Target target) {
        String refusal = MachineCode.unavailable().orElse("");
        assumeTrue(refusal.isEmpty(), () -> "skipped: " + refusal);
        assumeTrue(Cpu.read().runs(target.tier()), () -> "skipped: this processor has no " + target.tier());
        int[][] rows = Generators.hdfsCauchy(new CodeParameters(6, 3)).toRows();
        ProductProgram right = ProductProgram.plain(rows);
        int length = VECTORS * target.tier().width.bytes;
        assertThat(run(target, right, right, length)).isZero();
        int mutants = 0;
        for (int place = 0; place < right.statements().size(); place++) {
            for (Statement wrong : wrong(right, place)) {
                ProductProgram mutant = right.withMistake(place, wrong);
                if (computesSomethingElse(mutant, right)) {
                    mutants++;
                    assertThat(run(target, mutant, right, length))
                            .as(
                                    "%s instead of %s, seed %d",
                                    wrong, right.statements().get(place), SEED)
                            .isOne();
                }
            }
        }
        assertThat(mutants).isGreaterThan(100);
    }

    private List<Statement> wrong(ProductProgram program, int place) {
        List<Statement> wrong = new ArrayList<>();
        Statement right = program.statements().get(place);
        if (right instanceof Load load) {
            wrong.add(new Load(load.to(), (load.input() + 1) % program.inputs()));
        } else if (right instanceof Times times) {
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                int constant = times.constant() ^ 1 << bit;
                if (constant > 1) {
                    wrong.add(new Times(times.to(), times.value(), constant));
                }
            }
        } else if (right instanceof Xor xor) {
            for (int term = 0; term < xor.terms().size(); term++) {
                List<Integer> fewer = new ArrayList<>(xor.terms());
                fewer.remove(term);
                if (fewer.size() > 1) {
                    wrong.add(new Xor(xor.to(), fewer));
                }
                List<Integer> twice = new ArrayList<>(xor.terms());
                twice.set(term, xor.terms().get((term + 1) % xor.terms().size()));
                wrong.add(new Xor(xor.to(), twice));
            }
        } else if (right instanceof Store store) {
            wrong.add(new Store(0, store.output()));
        }
        return wrong;
    }

    private static boolean computesSomethingElse(ProductProgram mutant, ProductProgram right) {
        return IntStream.range(0, right.inputs()).anyMatch(input -> {
            int[] unit = new int[right.inputs()];
            unit[input] = 1;
            return !Arrays.equals(mutant.interpret(unit), right.interpret(unit));
        });
    }

    private int run(Target target, ProductProgram program, ProductProgram expected, int length) {
        int units = program.inputs() + program.outputs();
        Object[] arguments = new Object[2 + units];
        arguments[0] = ExecutableMemory.of(KernelWriter.write(target, program, expected, Check.FOLD));
        arguments[1] = (long) length;
        for (int unit = 0; unit < units; unit++) {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            arguments[2 + unit] = Foreign.segment(bytes);
        }
        return (int) ExecutableMemory.invoke(MachineCode.function(units), arguments);
    }
}
