/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.erasure.kernel.Kernel;
import io.paritas.erasure.kernel.KernelChoice;
import io.paritas.erasure.kernel.KernelProvider;
import io.paritas.erasure.kernel.Program;
import io.paritas.erasure.kernel.Regions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Codes on the kernel of this JVM: the build runs the class once on every kernel. */
class ErasureCodeTest {
    /** Vectors of 64 bytes, four at a time, and a tail that is no whole vector. */
    private static final int LENGTH = 4 * 64 + 64 + 13;

    static Stream<CodeParameters> upToNineUnits() {
        return IntStream.rangeClosed(2, 9).boxed().flatMap(n -> IntStream.range(1, n)
                .mapToObj(k -> new CodeParameters(k, n - k)));
    }

    @ParameterizedTest
    @MethodSource("upToNineUnits")
    void repairsEveryPatternOfASmallCode(CodeParameters parameters) {
        ErasureCode code = ErasureCode.hdfsRs(parameters);
        byte[][] units = Stripes.encoded(code, LENGTH, Stripes.random(parameters));
        assertThat(Arrays.copyOfRange(units, parameters.k(), parameters.n()))
                .isDeepEqualTo(code.generator().times(Arrays.copyOf(units, parameters.k())));
        Stripes.comparedErasures(parameters).forEach(missing -> repairs(code, units, missing));
    }

    @ParameterizedTest
    @CsvSource({"10, 4", "12, 4"})
    void repairsOneTwoAndSampledPatternsOfALargeCode(int k, int r) {
        ErasureCode code = ErasureCode.hdfsRs(new CodeParameters(k, r));
        Random random = Stripes.random("large", k, r);
        byte[][] units = Stripes.encoded(code, LENGTH, random);
        Stripes.combinations(k + r, 1, missing -> repairs(code, units, Erasures.of(missing)));
        Stripes.combinations(k + r, 2, missing -> repairs(code, units, Erasures.of(missing)));
        for (int sample = 0; sample < 200; sample++) {
            repairs(
                    code,
                    units,
                    Erasures.of(random.ints(0, k + r).distinct().limit(r).toArray()));
        }
    }

    @ParameterizedTest
    @CsvSource({"6, 3", "21, 4", "32, 3"})
    void repairsVandermondeCodes(int k, int r) {
        ErasureCode code = ErasureCode.isalVandermonde(new CodeParameters(k, r));
        Random random = Stripes.random("vandermonde", k, r);
        byte[][] units = Stripes.encoded(code, LENGTH, random);
        for (int sample = 0; sample < 100; sample++) {
            repairs(
                    code,
                    units,
                    Erasures.of(random.ints(0, k + r).distinct().limit(r).toArray()));
        }
    }

    /** As many units as the field has elements, and more parity units than data units. */
    @ParameterizedTest
    @CsvSource({"250, 6", "12, 24"})
    void repairsWideCodes(int k, int r) {
        ErasureCode code = ErasureCode.hdfsRs(new CodeParameters(k, r));
        Random random = Stripes.random("wide", k, r);
        byte[][] units = Stripes.encoded(code, 100, random);
        repairs(
                code,
                units,
                Erasures.of(random.ints(0, k + r).distinct().limit(r).toArray()));
    }

    @Test
    void repairsXor() {
        ErasureCode code = ErasureCode.xor(5);
        byte[][] units = Stripes.encoded(code, LENGTH, Stripes.random("xor"));
        Stripes.combinations(6, 1, missing -> repairs(code, units, Erasures.of(missing)));
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "3, 2", "4, 2", "6, 3", "8, 2", "8, 3", "8, 4", "10, 2"})
    void repairsEveryPatternOfASearchedCode(int k, int r) {
        CodeParameters parameters = new CodeParameters(k, r);
        ErasureCode code = ErasureCode.paritas(parameters);
        byte[][] units = Stripes.encoded(code, LENGTH, Stripes.random("searched", k, r));
        assertThat(Arrays.copyOfRange(units, k, k + r))
                .isDeepEqualTo(code.generator().times(Arrays.copyOf(units, k)));
        Stripes.comparedErasures(parameters).forEach(missing -> repairs(code, units, missing));
    }

    @ParameterizedTest
    @CsvSource({"10, 4", "12, 4", "16, 4"})
    void repairsSampledPatternsOfALargeSearchedCode(int k, int r) {
        ErasureCode code = ErasureCode.paritas(new CodeParameters(k, r));
        Random random = Stripes.random("searched", k, r);
        byte[][] units = Stripes.encoded(code, LENGTH, random);
        for (int sample = 0; sample < 200; sample++) {
            repairs(
                    code,
                    units,
                    Erasures.of(random.ints(0, k + r).distinct().limit(r).toArray()));
        }
    }

    @Test
    void oneLostDataUnitIsReconstructedWithTheFirstParityUnit() {
        ErasureCode code = ErasureCode.paritas(new CodeParameters(10, 4));
        assertThat(code.repairPlan(Erasures.of(3)).sources()).containsExactly(0, 1, 2, 4, 5, 6, 7, 8, 9, 10);
    }

    @Test
    void anyKUnitsOfAnMdsCodeSuffice() {
        ErasureCode code = ErasureCode.hdfsRs(new CodeParameters(3, 2));
        Stripes.combinations(5, 2, missing -> assertThat(code.canReconstruct(Erasures.of(missing)))
                .isTrue());
        Stripes.combinations(5, 3, missing -> assertThat(code.canReconstruct(Erasures.of(missing)))
                .isFalse());
        assertThat(code.canReconstruct(Erasures.none())).isTrue();
        assertThatThrownBy(() -> code.canReconstruct(Erasures.of(5)))
                .hasMessage("the units of a (3,2) code are 0..4, got 5");
    }

    private static void repairs(ErasureCode code, byte[][] units, Erasures missing) {
        byte[][] damaged = Stripes.damaged(units, missing);
        code.reconstruct(damaged, missing);
        assertThat(Arrays.deepEquals(damaged, units))
                .as("%s, missing %s, seed %d", code, missing, Stripes.SEED)
                .isTrue();
    }

    /** HDFS encodes whole cells and decodes any range of them, so a window gives the window of the whole. */
    @Test
    void isByteLocal() {
        ErasureCode code = ErasureCode.hdfsRs(new CodeParameters(6, 3));
        byte[][] units = Stripes.encoded(code, LENGTH, Stripes.random("local"));
        Regions data = Regions.of(Arrays.copyOf(units, 6));
        Regions parity = Regions.of(Arrays.copyOfRange(units, 6, 9));
        RepairPlan plan = code.repairPlan(Erasures.of(0, 4, 7));
        Regions sources = Regions.of(pick(units, plan.sources()));
        Regions lost = Regions.of(pick(units, 0, 4, 7));
        for (int from = 0; from < LENGTH; from++) {
            for (int size : new int[] {1, 3, 64, 257, LENGTH - from}) {
                if (from + size <= LENGTH) {
                    Regions window = Regions.of(new byte[3][size]);
                    code.encode(data.slice(from, size), window);
                    assertThat(window.contentEquals(parity.slice(from, size))).isTrue();
                    plan.apply(sources.slice(from, size), window);
                    assertThat(window.contentEquals(lost.slice(from, size))).isTrue();
                }
            }
        }
    }

    private static byte[][] pick(byte[][] units, int... indices) {
        return Arrays.stream(indices).mapToObj(unit -> units[unit]).toArray(byte[][]::new);
    }

    @Test
    void takesBuffersOfEveryKindAndMovesNoPosition() {
        ErasureCode code = ErasureCode.hdfsRs(new CodeParameters(3, 2));
        byte[][] units = Stripes.encoded(code, 5000, Stripes.random("buffers"));
        ByteBuffer[] buffers = {
            ByteBuffer.wrap(units[0]).asReadOnlyBuffer(),
            direct(units[1], 3),
            ByteBuffer.wrap(units[2]),
            direct(new byte[5000], 1),
            ByteBuffer.allocate(5000)
        };
        code.encode(Arrays.copyOf(buffers, 3), Arrays.copyOfRange(buffers, 3, 5));
        assertThat(buffers[1].position()).isEqualTo(3);
        assertThat(buffers[3]).isEqualTo(ByteBuffer.wrap(units[3]));
        assertThat(buffers[4]).isEqualTo(ByteBuffer.wrap(units[4]));
        assertThat(code.verify(buffers)).isTrue();

        buffers[1] = direct(new byte[5000], 7);
        assertThat(code.verify(buffers)).isFalse();
        code.reconstruct(buffers, Erasures.of(1, 4));
        assertThat(buffers[1]).isEqualTo(ByteBuffer.wrap(units[1]));
    }

    private static ByteBuffer direct(byte[] bytes, int offset) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(bytes.length + offset + 9);
        return buffer.position(offset).put(bytes).flip().position(offset);
    }

    @Test
    void verifyFindsEverySingleFlippedByte() {
        ErasureCode code = ErasureCode.hdfsRs(new CodeParameters(3, 2));
        byte[][] units = Stripes.encoded(code, 100, Stripes.random("verify"));
        assertThat(code.verify(units)).isTrue();
        for (byte[] unit : units) {
            for (int x = 0; x < unit.length; x++) {
                unit[x] ^= 1;
                assertThat(code.verify(units)).isFalse();
                unit[x] ^= 1;
            }
        }
    }

    @Test
    void verifyComparesTheUnitsThatAreLeft() {
        ErasureCode code = ErasureCode.hdfsRs(new CodeParameters(3, 3));
        byte[][] units = Stripes.encoded(code, 100, Stripes.random("left"));
        Erasures missing = Erasures.of(1, 3);
        byte[][] damaged = Stripes.damaged(units, missing);
        assertThat(code.verify(damaged, missing)).isTrue();
        assertThat(code.verify(damaged, Erasures.of(1))).isFalse();
        assertThat(code.verify(buffers(units), Erasures.none())).isTrue();
        for (int unit : new int[] {0, 2, 4, 5}) {
            damaged[unit][99] ^= 1;
            assertThat(code.verify(damaged, missing)).isFalse();
            assertThat(code.verify(buffers(damaged), missing)).isFalse();
            assertThat(code.verify(damaged, missing.union(Erasures.of(unit))))
                    .as("nothing is left to compare")
                    .isTrue();
            damaged[unit][99] ^= 1;
        }
    }

    private static ByteBuffer[] buffers(byte[][] units) {
        return Arrays.stream(units).map(ByteBuffer::wrap).toArray(ByteBuffer[]::new);
    }

    @Test
    void verifiesUnitsLargerThanItsWindow() {
        ErasureCode code = ErasureCode.hdfsRs(new CodeParameters(3, 2));
        byte[][] units = Stripes.encoded(code, 200_001, Stripes.random("long"));
        assertThat(code.verify(units)).isTrue();
        units[2][200_000] ^= 4;
        assertThat(code.verify(units)).isFalse();
    }

    @Test
    void manyThreadsShareOneCode() throws Exception {
        ErasureCode code = ErasureCode.hdfsRs(new CodeParameters(6, 3));
        byte[][] units = Stripes.encoded(code, 40_000, Stripes.random("threads"));
        List<Erasures> patterns = Stripes.allErasures(code.parameters()).toList();
        ExecutorService pool = Executors.newFixedThreadPool(8);
        try {
            List<Callable<Void>> tasks = patterns.stream()
                    .<Callable<Void>>map(missing -> () -> {
                        repairs(code, units, missing);
                        return null;
                    })
                    .toList();
            for (Future<Void> task : pool.invokeAll(tasks)) {
                task.get();
            }
        } finally {
            pool.shutdown();
        }
    }

    @Test
    void emptyUnitsAndNothingMissingAreFine() {
        ErasureCode code = ErasureCode.hdfsRs(new CodeParameters(3, 2));
        code.encode(new byte[3][0], new byte[2][0]);
        code.reconstruct(new byte[5][0], Erasures.of(1));
        byte[][] units = Stripes.encoded(code, 10, Stripes.random("none"));
        code.reconstruct(units, Erasures.none());
        assertThat(code.verify(units)).isTrue();
    }

    @Test
    void theSelfCheckFindsAKernelThatIsWrong() {
        Matrix generator = Generators.xor(3);
        ErasureCode.of(generator, new WrongProvider(0)).selfCheck();
        assertThatThrownBy(() -> ErasureCode.of(generator, new WrongProvider(1)).selfCheck())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("self-check failed: erasure code (3,1) on the wrong kernel encodes wrong bytes on this"
                        + " machine");
    }

    @Test
    void patternsWithTheSameProductShareItsKernel() {
        List<Program> compiled = new ArrayList<>();
        ErasureCode xor = ErasureCode.of(Generators.xor(4), new WrongProvider(0, compiled));
        for (int lost = 0; lost < 5; lost++) {
            xor.repairPlan(Erasures.of(lost));
        }
        assertThat(compiled).hasSize(1);
        ErasureCode rs =
                ErasureCode.of(Generators.hdfsCauchy(new CodeParameters(6, 3)), new WrongProvider(0, compiled));
        rs.repairPlan(Erasures.of(0), Erasures.of(0));
        rs.repairPlan(Erasures.of(0, 8), Erasures.of(0));
        rs.repairPlan(Erasures.of(0, 6), Erasures.of(0));
        assertThat(compiled).as("encoding, by unit 6, and by unit 7").hasSize(1 + 3);
    }

    /** The plain kernel, with some bits of the last byte flipped. It keeps the programs that it has compiled. */
    private record WrongProvider(int flip, List<Program> compiled) implements KernelProvider {
        WrongProvider(int flip) {
            this(flip, new ArrayList<>());
        }

        @Override
        public String name() {
            return "wrong";
        }

        @Override
        public Optional<String> unavailable() {
            return Optional.empty();
        }

        @Override
        public String description() {
            return "wrong on purpose";
        }

        @Override
        public Kernel compile(Program program) {
            compiled.add(program);
            Kernel right = KernelChoice.named("plain").provider().compile(program);
            return (inputs, outputs) -> {
                byte[][] bytes = new byte[outputs.count()][outputs.length()];
                right.apply(inputs, Regions.of(bytes));
                bytes[0][outputs.length() - 1] ^= (byte) flip;
                KernelChoice.named("plain").provider().compile(COPY).apply(Regions.of(bytes), outputs);
            };
        }

        private static final Program COPY = Program.product(new int[][] {{1}});
    }

    @Test
    void aWantedUnitThatIsThereMayBeCopied() {
        ErasureCode code = ErasureCode.hdfsRs(new CodeParameters(3, 2));
        byte[][] units = Stripes.encoded(code, LENGTH, Stripes.random("copied"));
        RepairPlan plan = code.repairPlan(Erasures.of(3, 4), Erasures.of(1));
        byte[] copy = new byte[LENGTH];
        plan.apply(Regions.of(pick(units, plan.sources())), Regions.of(copy));
        assertThat(copy).isEqualTo(units[1]);
    }

    @Test
    void whatDoesNotFitIsRefused() {
        ErasureCode code = ErasureCode.hdfsRs(new CodeParameters(3, 2));
        assertThatThrownBy(() -> code.encode(new byte[2][8], new byte[2][8]))
                .hasMessage("expected 3 data units, got 2");
        assertThatThrownBy(() -> code.encode(new byte[3][8], new byte[3][8]))
                .hasMessage("expected 2 parity units, got 3");
        assertThatThrownBy(() -> code.encode(new byte[3][8], new byte[2][9]))
                .hasMessage("units that are read and written must be equally long, got 8 and 9 bytes");
        assertThatThrownBy(() -> code.encode(new byte[][] {new byte[8], new byte[7], new byte[8]}, new byte[2][8]))
                .hasMessage("the units of a stripe must be equally long, unit 0 has 8 bytes, unit 1 has 7");
        assertThatThrownBy(() -> code.reconstruct(new byte[5][8], Erasures.of(0, 1, 4)))
                .isInstanceOf(UnrecoverableException.class)
                .hasMessage("a (3,2) code reconstructs at most 2 missing units, 3 are missing: [0, 1, 4]");
        assertThatThrownBy(() -> code.reconstruct(new byte[5][8], Erasures.of(5)))
                .hasMessage("the units of a (3,2) code are 0..4, got 5");
        assertThatThrownBy(() -> code.repairPlan(Erasures.of(1), Erasures.none()))
                .hasMessage("a repair must reconstruct at least one unit, got none");
        assertThatThrownBy(() -> ErasureCode.of(Matrix.identity(GaloisField.ofWidth(4), 2)))
                .hasMessage("the units are bytes, so the generator must be over GF(2^8)/0x11d, got GF(2^4)/0x13");
        assertThatThrownBy(() -> ErasureCode.of(Matrix.ofRows(GaloisField.bytes(), new int[] {1, 1}, new int[] {0, 0})))
                .hasMessage(
                        "a parity unit must be made of at least one data unit, got a row of zeros in [[1, 1], [0, 0]]");
    }
}
