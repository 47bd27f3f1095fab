/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.erasure.BitMatrix;
import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.ErasureCode;
import io.paritas.erasure.Erasures;
import io.paritas.erasure.GaloisField;
import io.paritas.erasure.Generators;
import io.paritas.erasure.LrcParameters;
import io.paritas.erasure.Matrix;
import io.paritas.erasure.RepairPlan;
import io.paritas.erasure.StripCode;
import io.paritas.erasure.kernel.KernelChoice;
import io.paritas.erasure.kernel.Program;
import io.paritas.gpu.Device;
import io.paritas.gpu.DeviceMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Kernels on data of the GPU compute what the CPU computes, and touch nothing else. */
@Tag("kernels")
class DeviceKernelsTest {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 20_261_122L);
    private static final byte OLD = (byte) 0xEE;

    private final Device device = new Device();
    private final Random random = new Random(SEED);

    @AfterEach
    void close() {
        device.close();
    }

    private static List<ErasureCode> codes() {
        return List.of(
                code(Generators.hdfsCauchy(new CodeParameters(6, 3))),
                code(Generators.hdfsCauchy(new CodeParameters(10, 4))),
                code(Generators.isalVandermonde(new CodeParameters(8, 2))),
                code(Generators.paritas(new CodeParameters(6, 3))),
                code(Generators.paritas(new CodeParameters(10, 4))),
                code(Generators.lrc(new LrcParameters(12, 2, 2))),
                code(Generators.xor(5)),
                code(Generators.hdfsCauchy(new CodeParameters(1, 1))),
                code(Generators.hdfsCauchy(new CodeParameters(20, 9))));
    }

    private static ErasureCode code(Matrix generator) {
        return ErasureCode.of(generator, KernelChoice.named("plain").provider());
    }

    private static List<Function<Program, DeviceKernel>> byteKernels() {
        return List.of(DeviceKernels::bytes, DeviceKernels::bytesOfAnyMatrix);
    }

    @Test
    void encodesEveryCode() {
        for (ErasureCode code : codes()) {
            for (Function<Program, DeviceKernel> kernels : byteKernels()) {
                Program program = Program.product(code.generator().toRows());
                DeviceKernel kernel = kernels.apply(program);
                check(kernel, program, 2064, 0);
                check(kernel, program, 5003, 0);
            }
        }
    }

    @Test
    void repairsEveryCode() {
        for (ErasureCode code : codes()) {
            int n = code.parameters().n();
            int r = Math.min(3, code.parameters().r());
            List<Erasures> patterns = new ArrayList<>(List.of(Erasures.of(0), Erasures.of(n - 1)));
            patterns.add(Erasures.of(IntStream.range(0, r).toArray()));
            patterns.add(Erasures.of(IntStream.range(n - 1 - r, n - 1).toArray()));
            for (Erasures missing : patterns) {
                if (code.canReconstruct(missing)) {
                    RepairPlan plan = code.repairPlan(missing);
                    byteKernels().forEach(kernels -> check(kernels.apply(plan.program()), plan.program(), 777, 0));
                }
            }
        }
    }

    @Test
    void takesEveryLengthAndPlace() {
        Program program =
                Program.product(Generators.hdfsCauchy(new CodeParameters(3, 2)).toRows());
        for (Function<Program, DeviceKernel> kernels : byteKernels()) {
            DeviceKernel kernel = kernels.apply(program);
            for (int length : new int[] {0, 1, 15, 16, 17, 31, 127 * 16, 128 * 16, 128 * 16 + 1, 128 * 16 + 15}) {
                check(kernel, program, length, 0);
            }
            for (int shift = 1; shift < 17; shift++) {
                check(kernel, program, 300, shift);
            }
        }
    }

    @Test
    void computesRandomMatrices() {
        for (int i = 0; i < 60; i++) {
            int inputs = 1 + random.nextInt(14);
            int[][] rows = IntStream.range(0, 1 + random.nextInt(9))
                    .mapToObj(row -> random.ints(inputs, 0, 256)
                            .map(x -> random.nextInt(3) == 0 ? 0 : x)
                            .toArray())
                    .toArray(int[][]::new);
            Program program = Program.product(rows);
            int length = random.nextInt(600);
            byteKernels().forEach(kernels -> check(kernels.apply(program), program, length, 0));
        }
    }

    @Test
    void computesStripsAsTheStripCode() {
        for (int[] shape : new int[][] {{4, 2, 4}, {6, 3, 4}, {10, 4, 8}, {5, 8, 5}, {3, 2, 7}, {12, 10, 5}}) {
            Matrix generator = cauchy(shape[0], shape[1], GaloisField.ofWidth(shape[2]));
            StripCode code = StripCode.of(generator);
            List<BitSet> rows = BitMatrix.rows(generator);
            List<DeviceKernel> kernels = List.of(
                    DeviceKernels.strips(shape[2], shape[0], rows),
                    DeviceKernels.stripsOfAnyMatrix(shape[2], shape[0], rows));
            for (int strip : new int[] {16, 129 * 16, 1001, 1}) {
                byte[][] data = units(shape[0], strip * shape[2]);
                byte[][] parity = new byte[shape[1]][strip * shape[2]];
                code.encode(data, parity);
                kernels.forEach(kernel -> assertThat(run(kernel, data, shape[1], 0))
                        .as("strips %s of %d bytes, seed %d", Arrays.toString(shape), strip, SEED)
                        .isDeepEqualTo(parity));
            }
        }
    }

    @Test
    void aStripeIsRepairedInPlace() {
        ErasureCode code = code(Generators.hdfsCauchy(new CodeParameters(6, 3)));
        int length = 1000;
        byte[][] units = Arrays.copyOf(units(6, length), 9);
        byte[][] parity = new byte[3][length];
        code.encode(Arrays.copyOf(units, 6), parity);
        System.arraycopy(parity, 0, units, 6, 3);
        try (DeviceMemory memory = device.allocate(9 * 1008)) {
            DeviceRegions stripe = DeviceRegions.of(length, memory.address(), 1008, 9);
            Erasures missing = Erasures.of(1, 4, 8);
            for (int unit = 0; unit < 9; unit++) {
                if (unit != 1 && unit != 4 && unit != 8) {
                    device.upload(memory.address() + unit * 1008L, units[unit]);
                }
            }
            RepairPlan plan = code.repairPlan(missing);
            DeviceKernels.bytes(plan.program())
                    .apply(stripe.pick(plan.sources()), stripe.pick(missing.toArray()), device.stream);
            for (int unit = 0; unit < 9; unit++) {
                assertThat(device.download(memory.address() + unit * 1008L, length))
                        .as("unit %d, seed %d", unit, SEED)
                        .isEqualTo(units[unit]);
            }
        }
    }

    @Test
    void rowsOfZerosGiveZeros() {
        DeviceKernel bytes = DeviceKernels.bytes(Program.product(new int[][] {{0, 0}, {1, 3}}));
        assertThat(run(bytes, units(2, 40), 2, 0)[0]).containsOnly(0);
        DeviceKernel strips = DeviceKernels.strips(1, 2, List.of(new BitSet(), BitSet.valueOf(new byte[] {2})));
        byte[][] data = units(2, 40);
        assertThat(run(strips, data, 2, 0)).isDeepEqualTo(new byte[][] {new byte[40], data[1]});
    }

    @Test
    void refusesWhatDoesNotFit() {
        DeviceKernel kernel = DeviceKernels.strips(2, 1, List.of(new BitSet(), new BitSet()));
        assertThatThrownBy(() -> kernel.apply(DeviceRegions.of(2, 0, 0), DeviceRegions.of(2, 0), device.stream))
                .hasMessage("expected 1 units to read and 1 to write, got 2 and 1");
        assertThatThrownBy(() -> kernel.apply(DeviceRegions.of(2, 0), DeviceRegions.of(4, 0), device.stream))
                .hasMessage("units that are read and written must be equally long, got 2 and 4 bytes");
        assertThatThrownBy(() -> kernel.apply(DeviceRegions.of(3, 0), DeviceRegions.of(3, 0), device.stream))
                .hasMessage("the length of a unit must be a multiple of its 2 strips, got 3");
        assertThatThrownBy(() -> DeviceRegions.of(-1, 0)).hasMessage("a region must have at least 0 bytes, got -1");
        assertThatThrownBy(() -> DeviceKernels.strips(2, 1, List.of(new BitSet())))
                .hasMessage("the rows must be whole units of w strips, got w = 2, 1 units to read and 1 rows");
        assertThatThrownBy(() -> DeviceKernels.strips(1, 1, List.of(BitSet.valueOf(new byte[] {4}))))
                .hasMessage("a row must be a set of the strips 0 to 0, got {2}");
        assertThatThrownBy(() -> DeviceKernels.bytes(Program.product(new int[200][100])))
                .hasMessage("a kernel must read and write at most 256 units, got 100 and 200");
    }

    private static Matrix cauchy(int k, int r, GaloisField field) {
        int[][] rows = new int[r][k];
        for (int i = 0; i < r; i++) {
            for (int j = 0; j < k; j++) {
                rows[i][j] = field.inverse(i ^ (r + j));
            }
        }
        return Matrix.ofRows(field, rows);
    }

    private byte[][] units(int count, int length) {
        byte[][] units = new byte[count][length];
        Arrays.stream(units).forEach(random::nextBytes);
        return units;
    }

    private void check(DeviceKernel kernel, Program program, int length, int shift) {
        byte[][] inputs = units(program.inputs(), length);
        assertThat(run(kernel, inputs, program.outputs(), shift))
                .as("%d bytes, shifted by %d, of %s, seed %d", length, shift, program, SEED)
                .isDeepEqualTo(expected(program, inputs, length));
    }

    private static byte[][] expected(Program program, byte[][] inputs, int length) {
        byte[][] outputs = new byte[program.outputs()][length];
        KernelChoice.named("plain")
                .provider()
                .compile(program)
                .apply(io.paritas.erasure.kernel.Regions.of(inputs), io.paritas.erasure.kernel.Regions.of(outputs));
        return outputs;
    }

    /** Runs the kernel on units that lie one behind another, with some bytes between them, which must stay as they are. */
    private byte[][] run(DeviceKernel kernel, byte[][] inputs, int outputs, int shift) {
        int length = inputs[0].length;
        int stride = (length + 15) / 16 * 16 + 32;
        int units = inputs.length + outputs;
        try (DeviceMemory memory = device.allocate((long) units * stride + shift)) {
            long start = memory.address() + shift;
            for (int i = 0; i < inputs.length; i++) {
                device.upload(start + (long) i * stride, inputs[i]);
            }
            long firstOutput = start + (long) inputs.length * stride;
            kernel.apply(
                    DeviceRegions.of(length, start, stride, inputs.length),
                    DeviceRegions.of(length, firstOutput, stride, outputs),
                    device.stream);
            byte[] all = device.download(memory.address(), (int) memory.size());
            byte[][] results = new byte[outputs][];
            for (int i = 0; i < units; i++) {
                int from = shift + i * stride;
                byte[] unit = Arrays.copyOfRange(all, from, from + length);
                if (i < inputs.length) {
                    assertThat(unit).as("inputs are only read").isEqualTo(inputs[i]);
                } else {
                    results[i - inputs.length] = unit;
                }
                for (int x = from + length; x < from + stride; x++) {
                    assertThat(all[x])
                            .as("byte %d behind unit %d", x - from - length, i)
                            .isEqualTo(OLD);
                }
            }
            return results;
        }
    }
}
