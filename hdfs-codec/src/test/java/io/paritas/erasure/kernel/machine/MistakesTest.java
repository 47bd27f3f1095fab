/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.Generators;
import io.paritas.erasure.kernel.machine.MachineCode.Check;
import io.paritas.erasure.kernel.machine.ProductProgram.Load;
import io.paritas.erasure.kernel.machine.ProductProgram.LookUp;
import io.paritas.erasure.kernel.machine.ProductProgram.Statement;
import io.paritas.erasure.kernel.machine.ProductProgram.Store;
import io.paritas.erasure.kernel.machine.ProductProgram.Times;
import io.paritas.erasure.kernel.machine.ProductProgram.Xor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
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
        KernelWriterTest.assumeRuns(target.tier());
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

    /** A bit that flips in memory where constants are, before the first call. */
    @ParameterizedTest
    @EnumSource(Tier.class)
    void theSelfCheckNoticesEveryWrongConstant(Tier tier) {
        KernelWriterTest.assumeRuns(tier);
        int[][] rows = Generators.hdfsCauchy(new CodeParameters(6, 3)).toRows();
        for (ProductProgram program : List.of(ProductProgram.plain(rows), ProductProgram.shared(rows))) {
            ProductProgram lowered = tier.lowered(program);
            byte[] code = KernelWriter.write(new Target(tier, Cores.OTHER), program, Check.FOLD);
            Set<ByteBuffer> constants = constants(tier, lowered);
            assertThat(constants).hasSizeGreaterThan(10);
            ByteBuffer[] units = units(9, VECTORS * tier.width.bytes);
            assertThat(run(tier, code, units)).isZero();
            for (ByteBuffer constant : constants) {
                int first = indexOf(constant, code, 0);
                int copy = indexOf(constant, code, first + constant.capacity());
                for (int bit = 0; bit < constant.capacity() * Byte.SIZE; bit++) {
                    // Tables are many: a bit of each byte.
                    if (tier.hasProducts || bit % Byte.SIZE == bit / Byte.SIZE % Byte.SIZE) {
                        noticed(tier, code, 8 * first + bit, units);
                        noticed(tier, code, 8 * copy + bit, units);
                    }
                }
            }
        }
    }

    private void noticed(Tier tier, byte[] code, int bit, ByteBuffer[] units) {
        byte[] flipped = code.clone();
        flipped[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
        assertThat(run(tier, flipped, units))
                .as("bit %d of the code, seed %d", bit, SEED)
                .isOne();
    }

    private static Set<ByteBuffer> constants(Tier tier, ProductProgram lowered) {
        Set<ByteBuffer> constants = new LinkedHashSet<>();
        for (Statement statement : lowered.statements()) {
            if (statement instanceof Times times) {
                byte[] matrix = Bytes.matrix(times.constant());
                ByteBuffer repeated = ByteBuffer.allocate(tier.width == Width.BITS_512 ? Long.BYTES : 32);
                while (repeated.hasRemaining()) {
                    repeated.put(matrix);
                }
                constants.add(repeated.flip());
            } else if (statement instanceof LookUp lookUp) {
                constants.add(
                        ByteBuffer.wrap(Bytes.table(lookUp.constant(), lookUp.isUpper() ? 4 : 0, tier.width.bytes)));
            }
        }
        if (!tier.hasProducts) {
            byte[] mask = new byte[tier.width.bytes];
            Arrays.fill(mask, (byte) 0x0f);
            constants.add(ByteBuffer.wrap(mask));
        }
        return constants;
    }

    private static int indexOf(ByteBuffer constant, byte[] code, int from) {
        int size = constant.capacity();
        return IntStream.rangeClosed(from, code.length - size)
                .filter(at -> ByteBuffer.wrap(code, at, size).equals(constant))
                .findFirst()
                .orElseThrow();
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
        return run(
                target.tier(),
                KernelWriter.write(target, program, expected, Check.FOLD),
                units(program.inputs() + program.outputs(), length));
    }

    private ByteBuffer[] units(int count, int length) {
        ByteBuffer[] units = new ByteBuffer[count];
        for (int unit = 0; unit < count; unit++) {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            units[unit] = ByteBuffer.allocateDirect(length).put(0, bytes);
        }
        return units;
    }

    private static byte[] bytes(ByteBuffer unit) {
        byte[] bytes = new byte[unit.capacity()];
        unit.get(0, bytes);
        return bytes;
    }

    /** The call does not know which of the units are inputs. */
    private static int run(Tier tier, byte[] code, ByteBuffer[] units) {
        if (KernelWriterTest.isInterpreted(tier)) {
            byte[][] contents = Arrays.stream(units).map(MistakesTest::bytes).toArray(byte[][]::new);
            return ArmProcessor.call(code, contents, new int[units.length], contents[0].length);
        }
        Object memory = MachineCode.callable(ExecutableMemory.of(Foreign.callable(code, units.length)));
        return MachineCall.of(new MachineCall.Shape(units.length, 0, MachineCall.Memory.BUFFERS))
                .run(memory, units, new int[units.length], new Object[0], new int[0], 0, units[0].capacity());
    }
}
