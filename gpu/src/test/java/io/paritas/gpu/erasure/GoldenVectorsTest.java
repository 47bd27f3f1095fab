/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.BitMatrix;
import io.paritas.erasure.CodeName;
import io.paritas.erasure.ErasureCode;
import io.paritas.erasure.GaloisField;
import io.paritas.erasure.Matrix;
import io.paritas.erasure.StripCode;
import io.paritas.erasure.kernel.KernelChoice;
import io.paritas.erasure.kernel.Program;
import io.paritas.gpu.Device;
import io.paritas.gpu.DeviceMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The CPU's kernels, and each kind of GPU kernels, on vectors that a program of another language made. */
@Tag("kernels")
class GoldenVectorsTest {
    private final Device device = new Device();

    @AfterEach
    void close() {
        device.close();
    }

    static List<String> lines(String kind) throws IOException {
        return Files.readAllLines(Path.of("src/test/resources/io/paritas/gpu/golden-vectors.txt")).stream()
                .filter(line -> line.startsWith(kind + " "))
                .toList();
    }

    static List<String> bytes() throws IOException {
        return lines("bytes");
    }

    static List<String> strips() throws IOException {
        return lines("strips");
    }

    @ParameterizedTest
    @MethodSource("bytes")
    void bytes(String line) {
        String[] fields = line.split(" ", -1);
        int[][] rows = rows(fields[2]);
        byte[][] data = units(fields[3]);
        byte[][] parity = units(fields[4]);
        assertThat(CodeName.parse(fields[1]).erasureCode().generator().toRows()).isDeepEqualTo(rows);

        ErasureCode cpu = ErasureCode.of(
                Matrix.ofRows(GaloisField.bytes(), rows),
                KernelChoice.named("plain").provider());
        byte[][] encoded = new byte[parity.length][data[0].length];
        cpu.encode(data, encoded);
        assertThat(encoded).as("the CPU").isDeepEqualTo(parity);

        Program program = Program.product(rows);
        assertThat(run(DeviceKernels.bytes(program), data, rows.length))
                .as("generated")
                .isDeepEqualTo(parity);
        assertThat(run(DeviceKernels.bytesOfAnyMatrix(program), data, rows.length))
                .as("any matrix")
                .isDeepEqualTo(parity);
    }

    @ParameterizedTest
    @MethodSource("strips")
    void strips(String line) {
        String[] fields = line.split(" ", -1);
        int w = Integer.parseInt(fields[1]);
        GaloisField field = GaloisField.ofWidth(w);
        assertThat(field.polynomial()).isEqualTo(Integer.parseInt(fields[2]));
        Matrix generator = Matrix.ofRows(field, rows(fields[3]));
        byte[][] data = units(fields[4]);
        byte[][] parity = units(fields[5]);

        byte[][] encoded = new byte[parity.length][data[0].length];
        StripCode.of(generator).encode(data, encoded);
        assertThat(encoded).as("the CPU").isDeepEqualTo(parity);

        assertThat(run(DeviceKernels.strips(w, data.length, BitMatrix.rows(generator)), data, parity.length))
                .as("generated")
                .isDeepEqualTo(parity);
        assertThat(run(DeviceKernels.stripsOfAnyMatrix(w, data.length, BitMatrix.rows(generator)), data, parity.length))
                .as("any matrix")
                .isDeepEqualTo(parity);
    }

    private byte[][] run(DeviceKernel kernel, byte[][] data, int outputs) {
        int length = data[0].length;
        int stride = (length + 15) / 16 * 16;
        try (DeviceMemory memory = device.allocate((long) (data.length + outputs) * stride)) {
            for (int i = 0; i < data.length; i++) {
                device.upload(memory.address() + (long) i * stride, data[i]);
            }
            long first = memory.address() + (long) data.length * stride;
            kernel.apply(
                    DeviceRegions.of(length, memory.address(), stride, data.length),
                    DeviceRegions.of(length, first, stride, outputs),
                    device.stream);
            byte[][] parity = new byte[outputs][];
            for (int i = 0; i < outputs; i++) {
                parity[i] = device.download(first + (long) i * stride, length);
            }
            return parity;
        }
    }

    private static int[][] rows(String text) {
        return Arrays.stream(text.substring(2, text.length() - 2).split("\\],\\[", -1))
                .map(row -> Arrays.stream(row.split(",", -1))
                        .mapToInt(Integer::parseInt)
                        .toArray())
                .toArray(int[][]::new);
    }

    private static byte[][] units(String text) {
        return Arrays.stream(text.split(",", -1)).map(HexFormat.of()::parseHex).toArray(byte[][]::new);
    }
}
