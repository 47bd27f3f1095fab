/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What every kernel does: exactly what the program says, for any length and place, and nothing else. The reference is
 * {@link Program#interpret}, byte by byte.
 */
public abstract class KernelProviderContract {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 20_261_121L);
    private static final byte GUARD = 0x77;

    private final Random random = new Random(SEED);

    /** The provider to test. */
    protected abstract KernelProvider provider();

    @BeforeEach
    void isAvailable() {
        String refusal = provider().unavailable().orElse("");
        assumeTrue(refusal.isEmpty(), () -> "skipped: " + refusal);
    }

    static IntStream lengths() {
        int[] near = {8, 16, 32, 64, 128, 256, 1024, 2048, 4096, 1 << 16};
        return IntStream.concat(
                        IntStream.of(0, 1, 2, 3, 7, 13, 101, 997, 7919, (1 << 20) - 1, 1 << 20, (1 << 20) + 1),
                        Arrays.stream(near).flatMap(length -> IntStream.of(length - 1, length, length + 1)))
                .distinct();
    }

    @ParameterizedTest
    @MethodSource("lengths")
    void computesTheProgramAtEveryLength(int length) {
        check(randomRows(3, 5), length, 0);
    }

    @Test
    void computesTheProgramAtEveryAlignment() {
        int[][] rows = randomRows(2, 4);
        for (int shift = 0; shift < 70; shift++) {
            check(rows, 331, shift);
        }
    }

    @Test
    void computesRandomPrograms() {
        for (int i = 0; i < 100; i++) {
            check(randomRows(1 + random.nextInt(6), 1 + random.nextInt(12)), random.nextInt(700), random.nextInt(9));
        }
    }

    /** Multiplication by every constant, of every byte. */
    @Test
    void multipliesByEveryConstant() {
        byte[] all = new byte[256];
        IntStream.range(0, 256).forEach(x -> all[x] = (byte) x);
        for (int constant = 0; constant < 256; constant++) {
            Program program = Program.product(new int[][] {{constant}});
            byte[] product = new byte[256];
            provider().compile(program).apply(Regions.of(all), Regions.of(product));
            for (int x = 0; x < 256; x++) {
                assertThat(product[x] & 0xff).isEqualTo(program.interpret(x)[0]);
            }
        }
    }

    @Test
    void inputsAndOutputsMayShareOneArray() {
        int[][] rows = randomRows(2, 3);
        byte[] shared = new byte[5 * 300];
        random.nextBytes(shared);
        byte[] before = shared.clone();
        byte[][] arrays = {shared, shared, shared};
        provider()
                .compile(Program.product(rows))
                .apply(
                        Regions.of(arrays, new int[] {0, 300, 600}, 300),
                        Regions.of(new byte[][] {shared, shared}, new int[] {1200, 900}, 300));
        assertThat(Arrays.copyOf(shared, 900)).isEqualTo(Arrays.copyOf(before, 900));
        byte[][] expected = reference(rows, arrays, new int[] {0, 300, 600}, 300);
        assertThat(Arrays.copyOfRange(shared, 1200, 1500)).isEqualTo(expected[0]);
        assertThat(Arrays.copyOfRange(shared, 900, 1200)).isEqualTo(expected[1]);
    }

    @Test
    void readsAndWritesDirectBuffers() {
        int[][] rows = randomRows(2, 3);
        for (int length : new int[] {1, 100, 2047, 2048, 2049, 5000}) {
            byte[][] inputs = randomUnits(3, length);
            ByteBuffer[] from = {
                direct(inputs[0], 5), ByteBuffer.wrap(inputs[1]).asReadOnlyBuffer(), direct(inputs[2], 0)
            };
            ByteBuffer[] to = {direct(new byte[length], 3), direct(new byte[length], 0)};
            provider().compile(Program.product(rows)).apply(Regions.of(from), Regions.of(to));
            byte[][] expected = reference(rows, inputs, new int[3], length);
            assertThat(to[0]).isEqualTo(ByteBuffer.wrap(expected[0]));
            assertThat(to[1]).isEqualTo(ByteBuffer.wrap(expected[1]));
        }
    }

    @Test
    void readsAndWritesDirectBuffersOnly() {
        int[][] rows = randomRows(3, 4);
        for (int length : new int[] {0, 1, 63, 64, 1000, 4096, 100_000}) {
            byte[][] inputs = randomUnits(4, length);
            byte[][] expected = reference(rows, inputs, new int[4], length);
            ByteBuffer[] from = IntStream.range(0, 4)
                    .mapToObj(i -> direct(inputs[i], 3 * i).asReadOnlyBuffer())
                    .toArray(ByteBuffer[]::new);
            ByteBuffer[] to = IntStream.range(0, 3)
                    .mapToObj(i -> direct(new byte[length], 5 * i))
                    .toArray(ByteBuffer[]::new);
            provider().compile(Program.product(rows)).apply(Regions.of(from), Regions.of(to));
            for (int i = 0; i < 3; i++) {
                assertThat(to[i])
                        .as("output %d of %d bytes, seed %d", i, length, SEED)
                        .isEqualTo(ByteBuffer.wrap(expected[i]));
            }
        }
    }

    @Test
    void writesNoReadOnlyBuffers() {
        int[][] rows = randomRows(2, 3);
        for (int length : new int[] {1, 100, 2048, 5000}) {
            Kernel kernel = provider().compile(Program.product(rows));
            byte[][] units = randomUnits(3, length);
            Regions outside =
                    Regions.of(Arrays.stream(units).map(unit -> direct(unit, 0)).toArray(ByteBuffer[]::new));
            for (Regions from : List.of(Regions.of(units), outside)) {
                for (ByteBuffer target : List.of(ByteBuffer.allocate(length), ByteBuffer.allocateDirect(length))) {
                    Regions to = Regions.of(ByteBuffer.allocateDirect(length), target.asReadOnlyBuffer());
                    assertThatExceptionOfType(ReadOnlyBufferException.class)
                            .as("%d bytes, direct: %s, seed %d", length, target.isDirect(), SEED)
                            .isThrownBy(() -> kernel.apply(from, to));
                    assertThat(target).isEqualTo(ByteBuffer.allocate(length));
                }
            }
        }
    }

    private static ByteBuffer direct(byte[] bytes, int offset) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(bytes.length + offset + 1);
        return buffer.position(offset).put(bytes).flip().position(offset);
    }

    private void check(int[][] rows, int length, int shift) {
        byte[][] inputs = randomUnits(rows[0].length, length + shift);
        byte[][] before = Arrays.stream(inputs).map(byte[]::clone).toArray(byte[][]::new);
        byte[][] outputs = new byte[rows.length][length + 2 * shift + 2];
        Arrays.stream(outputs).forEach(output -> Arrays.fill(output, GUARD));
        int[] from = IntStream.generate(() -> shift).limit(inputs.length).toArray();
        int[] to = IntStream.generate(() -> shift + 1).limit(outputs.length).toArray();

        provider()
                .compile(Program.product(rows))
                .apply(Regions.of(inputs, from, length), Regions.of(outputs, to, length));

        assertThat(Arrays.deepEquals(outputs, guarded(reference(rows, inputs, from, length), shift)))
                .as("rows %s, length %d, shift %d, seed %d", Arrays.deepToString(rows), length, shift, SEED)
                .isTrue();
        assertThat(Arrays.deepEquals(inputs, before)).as("inputs are only read").isTrue();
    }

    private static byte[][] guarded(byte[][] bytes, int shift) {
        return Arrays.stream(bytes)
                .map(inner -> {
                    byte[] outer = new byte[inner.length + 2 * shift + 2];
                    Arrays.fill(outer, GUARD);
                    System.arraycopy(inner, 0, outer, shift + 1, inner.length);
                    return outer;
                })
                .toArray(byte[][]::new);
    }

    private static byte[][] reference(int[][] rows, byte[][] inputs, int[] offsets, int length) {
        Program program = Program.product(rows);
        byte[][] outputs = new byte[rows.length][length];
        int[] symbols = new int[inputs.length];
        for (int x = 0; x < length; x++) {
            for (int input = 0; input < inputs.length; input++) {
                symbols[input] = inputs[input][offsets[input] + x] & 0xff;
            }
            int[] result = program.interpret(symbols);
            for (int output = 0; output < rows.length; output++) {
                outputs[output][x] = (byte) result[output];
            }
        }
        return outputs;
    }

    private byte[][] randomUnits(int count, int length) {
        byte[][] units = new byte[count][length];
        Arrays.stream(units).forEach(random::nextBytes);
        return units;
    }

    private int[][] randomRows(int outputs, int inputs) {
        return IntStream.range(0, outputs)
                .mapToObj(i -> random.ints(inputs, 0, 256).toArray())
                .toArray(int[][]::new);
    }
}
