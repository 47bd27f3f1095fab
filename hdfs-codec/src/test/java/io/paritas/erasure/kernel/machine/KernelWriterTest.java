/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paritas.erasure.kernel.machine.MachineCode.Check;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs the code of every tier that this processor has, and that for AArch64 {@linkplain ArmProcessor everywhere}; others are skipped.
 */
class KernelWriterTest {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 20_261_123L);
    private static final byte GUARD = 0x5a;
    private static final int ROOM = 32;

    private final Random random = new Random(SEED);

    /** Code that is fast on other processors runs here, too. */
    static Stream<Target> targets() {
        return Arrays.stream(Tier.values()).flatMap(tier -> Arrays.stream(Cores.values())
                .filter(cores -> tier.architecture.displaces || cores == Cores.OTHER)
                .map(cores -> new Target(tier, cores)));
    }

    /** Whether code runs, but not on this machine. */
    static boolean isInterpreted(Tier tier) {
        return tier.architecture == Architecture.AARCH64 && !Architecture.here().equals(Optional.of(tier.architecture));
    }

    static void assumeRuns(Tier tier) {
        if (!isInterpreted(tier)) {
            String refusal = MachineCode.unavailable().orElse("");
            assertThat(refusal.isEmpty() || !Boolean.getBoolean("io.paritas.test.expectCode"))
                    .as(refusal)
                    .isTrue();
            assumeTrue(refusal.isEmpty(), () -> "skipped: " + refusal);
            assumeTrue(Cpu.read().runs(tier), () -> "skipped: this processor has no " + tier);
        }
    }

    /** Calls code on memory with room around every unit: direct buffers, and arrays where it takes them. */
    private static int call(Tier tier, byte[] code, byte[][] units, int length) {
        if (isInterpreted(tier)) {
            return interpret(code, units, length);
        }
        Object memory = MachineCode.callable(ExecutableMemory.of(Foreign.callable(code, units.length)));
        ByteBuffer[] direct = Arrays.stream(units)
                .map(unit -> ByteBuffer.allocateDirect(unit.length).put(0, unit))
                .toArray(ByteBuffer[]::new);
        int status = call(memory, MachineCall.Memory.BUFFERS, direct, length);
        if (MachineCode.takesArrays()) {
            assertThat(call(memory, MachineCall.Memory.ARRAYS, units, length)).isEqualTo(status);
            assertThat(direct)
                    .isEqualTo(Arrays.stream(units).map(ByteBuffer::wrap).toArray());
        } else {
            for (int i = 0; i < units.length; i++) {
                direct[i].get(0, units[i]);
            }
        }
        return status;
    }

    /** With the addresses as arguments, and in a table. */
    private static int interpret(byte[] code, byte[][] units, int length) {
        byte[][] again = Arrays.stream(units).map(byte[]::clone).toArray(byte[][]::new);
        byte[] entry = TableEntry.before(Architecture.AARCH64, code, units.length);
        int status = ArmProcessor.call(code, units, offsets(units.length), length);
        assertThat(ArmProcessor.callEntry(entry, again, offsets(units.length), length))
                .isEqualTo(status);
        assertThat(Arrays.deepEquals(again, units)).isTrue();
        return status;
    }

    private static int[] offsets(int units) {
        return IntStream.range(0, units).map(i -> ROOM + i % 3).toArray();
    }

    /** The call does not know which of the units are inputs. */
    private static int call(Object code, MachineCall.Memory memory, Object[] units, int length) {
        return MachineCall.of(new MachineCall.Shape(units.length, 0, memory))
                .run(code, units, offsets(units.length), new Object[0], new int[0], 0, length);
    }

    private byte[][] units(int inputs, int outputs, int length) {
        byte[][] units = new byte[inputs + outputs][2 * ROOM + 2 + length];
        for (int i = 0; i < units.length; i++) {
            Arrays.fill(units[i], GUARD);
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            System.arraycopy(bytes, 0, units[i], ROOM + i % 3, length);
        }
        return units;
    }

    private static byte[][] expected(ProductProgram program, byte[][] units, int length) {
        byte[][] expected = Arrays.stream(units).map(byte[]::clone).toArray(byte[][]::new);
        for (int x = 0; x < length; x++) {
            int at = x;
            int[] bytes = IntStream.range(0, program.inputs())
                    .map(i -> units[i][ROOM + i % 3 + at] & 0xff)
                    .toArray();
            int[] results = program.interpret(bytes);
            for (int output = 0; output < results.length; output++) {
                int unit = program.inputs() + output;
                expected[unit][ROOM + unit % 3 + x] = (byte) results[output];
            }
        }
        return expected;
    }

    private void check(Target target, ProductProgram program, Check check, int vectors) {
        checkBytes(target, program, check, vectors * target.tier().width.bytes);
    }

    private void checkBytes(Target target, ProductProgram program, Check check, int length) {
        byte[][] units = units(program.inputs(), program.outputs(), length);
        byte[][] expected = expected(program, units, length);
        int status = call(target.tier(), KernelWriter.write(target, program, check), units, length);
        assertThat(status)
                .as("status of %s on %s, seed %d", check, target, SEED)
                .isZero();
        assertThat(Arrays.deepEquals(units, expected))
                .as("%s on %s with %s, %d bytes, seed %d", program, target, check, length, SEED)
                .isTrue();
    }

    @ParameterizedTest
    @MethodSource("targets")
    void computesRandomPrograms(Target target) {
        assumeRuns(target.tier());
        for (int i = 0; i < 40; i++) {
            int[][] rows = ProductProgramTest.randomRows(random, 1 + random.nextInt(4), 1 + random.nextInt(12));
            Check check = Check.values()[i % 2];
            check(target, ProductProgram.plain(rows), check, 1 + random.nextInt(5));
        }
    }

    /** Every place of the end, of the start, and of a vector more. */
    @ParameterizedTest
    @MethodSource("targets")
    void computesEveryLength(Target target) {
        assumeRuns(target.tier());
        ProductProgram program = ProductProgram.plain(ProductProgramTest.randomRows(random, 2, 3));
        for (int length = target.tier().width.bytes; length <= 6 * target.tier().width.bytes; length++) {
            checkBytes(target, program, Check.values()[length % 2], length);
        }
    }

    /** Units that start and end at pages that nobody may touch: one byte too many would end this JVM. */
    @ParameterizedTest
    @MethodSource("targets")
    void touchesNothingAroundUnits(Target target) {
        assumeRuns(target.tier());
        assumeFalse(
                isInterpreted(target.tier()), "skipped: every other test of interpreted code refuses such accesses");
        int[][] rows = ProductProgramTest.randomRows(random, 3, 6);
        ProductProgram program = ProductProgram.plain(rows);
        byte[] written = KernelWriter.write(target, program, Check.FOLD);
        Object code = MachineCode.callable(ExecutableMemory.of(Foreign.callable(written, 9)));
        int vector = target.tier().width.bytes;
        for (GuardedMemory.Edge edge : GuardedMemory.Edge.values()) {
            for (int length : new int[] {vector, vector + 1, 2 * vector - 1, 1000, 4096 - 7, 4096}) {
                byte[][] units = new byte[9][length];
                ByteBuffer[] guarded = new ByteBuffer[units.length];
                for (int i = 0; i < units.length; i++) {
                    random.nextBytes(units[i]);
                    guarded[i] = GuardedMemory.of(units[i], edge);
                }
                assertThat(MachineCall.of(new MachineCall.Shape(9, 0, MachineCall.Memory.BUFFERS))
                                .run(code, guarded, new int[9], new Object[0], new int[0], 0, length))
                        .isZero();
                for (int x = 0; x < length; x++) {
                    int at = x;
                    int[] expected = program.interpret(
                            IntStream.range(0, 6).map(i -> units[i][at] & 0xff).toArray());
                    for (int output = 0; output < 3; output++) {
                        units[6 + output][x] = (byte) expected[output];
                    }
                }
                for (int i = 0; i < units.length; i++) {
                    assertThat(guarded[i])
                            .as("unit %d of %d bytes, %s, seed %d", i, length, target, SEED)
                            .isEqualTo(ByteBuffer.wrap(units[i]));
                }
            }
        }
    }

    /** Units without a register of their own, folds without one, and folds that are turned. */
    @ParameterizedTest
    @MethodSource("targets")
    void computesManyUnitsOverManyVectors(Target target) {
        assumeRuns(target.tier());
        for (int inputs : new int[] {13, 14, 15, 20, 44}) {
            int[][] rows = ProductProgramTest.randomRows(random, 1 + inputs % 3, inputs);
            check(target, ProductProgram.plain(rows), Check.FOLD, 131);
            check(target, ProductProgram.plain(rows), Check.NONE, 131);
        }
    }

    /** The registers may all be taken when such an input comes, by the inputs of sums. */
    @ParameterizedTest
    @MethodSource("targets")
    void computesProgramsThatDoNotNeedAnInput(Target target) {
        assumeRuns(target.tier());
        for (int inputs : new int[] {18, 40}) {
            for (int unused = 0; unused < inputs; unused++) {
                int[][] rows = new int[2][inputs];
                Arrays.fill(rows[0], 1);
                Arrays.fill(rows[1], 2);
                rows[0][unused] = 0;
                rows[1][unused] = 0;
                check(target, ProductProgram.shared(rows), Check.values()[unused % 2], 4);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("targets")
    void computesTheCheapestProgram(Target target) {
        assumeRuns(target.tier());
        for (int i = 0; i < 30; i++) {
            int[][] rows = ProductProgramTest.randomRows(random, 1 + random.nextInt(4), 1 + random.nextInt(12));
            ProductProgram shared = ProductProgram.shared(rows);
            try {
                check(target, shared, Check.values()[i % 2], 3);
            } catch (RegisterFile.TooFewException e) {
                assertThat(target.tier().registers()).as("%s", shared).isEqualTo(16);
            }
        }
    }

    /** A mistake of the code in one product is one of the processor, too. */
    @ParameterizedTest
    @MethodSource("targets")
    void noticesAMistakeInAnyCoefficient(Target target) {
        assumeRuns(target.tier());
        int[][] rows = {{7, 1, 9}, {200, 3, 1}};
        ProductProgram right = ProductProgram.plain(rows);
        byte[][] units = units(3, 2, 8 * target.tier().width.bytes);
        for (int row = 0; row < 2; row++) {
            for (int column = 0; column < 3; column++) {
                int[][] wrong = Arrays.stream(rows).map(int[]::clone).toArray(int[][]::new);
                wrong[row][column] ^= 1 << random.nextInt(8);
                byte[] code = KernelWriter.write(target, ProductProgram.plain(wrong), right, Check.FOLD);
                assertThat(call(target.tier(), code, units, 8 * target.tier().width.bytes))
                        .as("%s for %s on %s", Arrays.deepToString(wrong), Arrays.deepToString(rows), target)
                        .isEqualTo(1);
            }
        }
        assertThat(call(
                        target.tier(),
                        KernelWriter.write(target, right, Check.FOLD),
                        units,
                        8 * target.tier().width.bytes))
                .isZero();
    }

    @Test
    void saysWhenRegistersAreTooFew() {
        int[][] rows = ProductProgramTest.randomRows(random, 8, 8);
        rows[0][0] = 77;
        int[][] many = Stream.generate(() -> random.ints(8, 2, 256).toArray())
                .limit(30)
                .toArray(int[][]::new);
        assertThatThrownBy(() ->
                        KernelWriter.write(new Target(Tier.AVX2, Cores.OTHER), ProductProgram.plain(many), Check.NONE))
                .isInstanceOf(RegisterFile.TooFewException.class)
                .hasMessage("the program needs more than 15 registers at once");
    }

    @Test
    void aTierIsThereWhereLinuxNamesItsInstructions() {
        assertThat(best("fpu sse2")).isEmpty();
        assertThat(best("fpu avx2 sse2")).contains(Tier.AVX2);
        assertThat(best("dts avx2 dts")).as("old kernels name some twice").contains(Tier.AVX2);
        assertThat(best("avx2 gfni")).contains(Tier.AVX2_GFNI);
        String avx512 = "avx2 avx512f avx512dq avx512bw ";
        assertThat(best(avx512 + "gfni")).as("no avx512vl").contains(Tier.AVX2_GFNI);
        assertThat(best(avx512 + "avx512vl")).contains(Tier.AVX512);
        assertThat(best(avx512 + "avx512vl gfni ")).contains(Tier.AVX512_GFNI);
        assertThat(Cpu.parse(List.of("Features\t: fp asimd evtstrm aes")).best())
                .contains(new Target(Tier.NEON, Cores.OTHER));
        assertThat(Cpu.parse(List.of("processor\t: 0", "Features\t: fp asimd sha2 sha3"))
                        .best())
                .contains(new Target(Tier.NEON_SHA3, Cores.OTHER));
        assertThat(Cpu.parse(List.of()).best()).isEmpty();
    }

    /** As in a container that hides it. Vectors may be there nevertheless. */
    @Test
    void whatLinuxDoesNotTellIsNotSaidOfTheProcessor() {
        assertThat(Cpu.parse(List.of("flags\t\t: fpu sse2")).refusal()).isEqualTo("the processor has no AVX2");
        Cpu unknown = Cpu.parse(List.of());
        assertThat(unknown.best()).isEmpty();
        assertThat(unknown.refusal())
                .isEqualTo("/proc/cpuinfo names no instruction sets, so that nothing is known of the processor; make it"
                        + " readable");
    }

    private static Optional<Tier> best(String flags) {
        return Cpu.parse(List.of("flags\t\t: " + flags)).best().map(Target::tier);
    }

    @Test
    void codeIsWrittenForTheCoresThatLinuxNames() {
        assertThat(cores("GenuineIntel", "avx2 avx512_fp16")).isEqualTo(Cores.GOLDEN_COVE);
        assertThat(cores("GenuineIntel", "avx2")).isEqualTo(Cores.INTEL);
        assertThat(cores("AuthenticAMD", "avx2 avx512_fp16")).isEqualTo(Cores.OTHER);
    }

    private static Cores cores(String vendor, String flags) {
        return Cpu.parse(List.of("vendor_id\t: " + vendor, "flags\t: " + flags))
                .best()
                .orElseThrow()
                .cores();
    }
}
