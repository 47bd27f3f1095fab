/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.cudf;

import static org.assertj.core.api.Assertions.assertThat;

import ai.rapids.cudf.DType;
import ai.rapids.cudf.HostColumnVector;
import ai.rapids.cudf.HostColumnVectorCore;
import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.ErasureCode;
import io.paritas.erasure.kernel.Program;
import io.paritas.gpu.Device;
import io.paritas.gpu.DeviceMemory;
import io.paritas.gpu.erasure.DeviceKernels;
import io.paritas.gpu.erasure.DeviceRegions;
import io.paritas.gpu.nn.Activation;
import io.paritas.gpu.nn.Activations;
import io.paritas.gpu.nn.FaultBuffer;
import io.paritas.gpu.nn.Gemm;
import io.paritas.gpu.nn.ParityEncoder;
import io.paritas.gpu.nn.Precision;
import io.paritas.gpu.nn.Scheme;
import io.paritas.gpu.nn.Weights;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * From rows to rows, through columns of cuDF on the host and kernels on the emulator or a GPU. Memory of the GPU is our own here, since
 * cuDF's is on a GPU only: {@link CudfColumnsOnGpuTest}.
 */
@Tag("kernels")
class TensorKernelsTest {
    private static final Random RANDOM = new Random(3);

    private static Device device;

    @BeforeAll
    static void open() {
        device = new Device();
    }

    @AfterAll
    static void close() {
        device.close();
    }

    /** As {@code copyToDevice}: the values of a column, to the GPU. */
    private static DeviceMemory upload(HostColumnVectorCore column) {
        ByteBuffer values = column.getChildColumnView(0).getData().asByteBuffer();
        DeviceMemory memory = DeviceMemory.allocate(values.remaining());
        device.stream.copyToDevice(memory.address(), values);
        device.stream.synchronise();
        return memory;
    }

    /** As {@code copyToHost}: a column of values on the GPU. */
    private static HostColumnVector download(long address, DType type, int rows, int values) {
        try (TensorWriter writer =
                type.equals(DType.FLOAT32) ? TensorWriter.floats(rows, values) : TensorWriter.bytes(rows, values)) {
            int bytes = values * type.getSizeInBytes();
            for (int row = 0; row < rows; row++) {
                writer.add(ByteBuffer.wrap(device.download(address + (long) row * bytes, bytes)));
            }
            return writer.finish();
        }
    }

    private static float[][] queries(int rows, int values) {
        float[][] queries = new float[rows][values];
        for (float[] query : queries) {
            for (int i = 0; i < values; i++) {
                query[i] = RANDOM.nextFloat();
            }
        }
        return queries;
    }

    private static HostColumnVector column(float[][] rows) {
        try (TensorWriter writer = TensorWriter.floats(rows.length, rows[0].length)) {
            for (float[] row : rows) {
                writer.add(row);
            }
            return writer.finish();
        }
    }

    @Test
    void parityOfTwoColumnsOfQueries() {
        float[][] first = queries(5, 12);
        float[][] second = queries(5, 12);
        try (HostColumnVector one = column(first);
                HostColumnVector two = column(second);
                DeviceMemory a = upload(one);
                DeviceMemory b = upload(two);
                DeviceMemory sum = DeviceMemory.allocate(a.size())) {
            ParityEncoder.add(
                    new float[] {1, 2}, new long[] {a.address(), b.address()}, sum.address(), 5 * 12, device.stream);
            try (HostColumnVector parity = download(sum.address(), DType.FLOAT32, 5, 12)) {
                TensorReader rows = TensorReader.of(parity);
                for (int row = 0; row < 5; row++) {
                    for (int i = 0; i < 12; i++) {
                        assertThat(rows.floats(row)[i]).isEqualTo(first[row][i] + 2 * second[row][i]);
                    }
                }
            }
        }
    }

    @Test
    void parityOfBinaryColumnsIsThatOfEachRow() {
        ErasureCode code = ErasureCode.hdfsRs(new CodeParameters(2, 1));
        byte[][][] units = new byte[2][4][33];
        DeviceMemory[] memory = new DeviceMemory[2];
        for (int unit = 0; unit < 2; unit++) {
            try (TensorWriter writer = TensorWriter.bytes(4, 33)) {
                for (byte[] row : units[unit]) {
                    RANDOM.nextBytes(row);
                    writer.add(row);
                }
                try (HostColumnVector column = writer.finish()) {
                    memory[unit] = upload(column);
                }
            }
        }
        try (DeviceMemory parity = DeviceMemory.allocate(4 * 33)) {
            DeviceTensors[] data = new DeviceTensors[2];
            for (int unit = 0; unit < 2; unit++) {
                data[unit] = new DeviceTensors(memory[unit].address(), 4, 33, DType.UINT8);
            }
            DeviceTensors to = new DeviceTensors(parity.address(), 4, 33, DType.UINT8);
            DeviceRegions from = CudfRegions.of(data);
            DeviceKernels.bytes(Program.product(code.generator().toRows()))
                    .apply(from, CudfRegions.of(to), device.stream);
            try (HostColumnVector column = download(parity.address(), DType.UINT8, 4, 33)) {
                TensorReader rows = TensorReader.of(column);
                for (int row = 0; row < 4; row++) {
                    byte[] expected = new byte[33];
                    code.encode(new byte[][] {units[0][row], units[1][row]}, new byte[][] {expected});
                    assertThat(rows.bytes(row)).isEqualTo(expected);
                }
            }
        }
        for (DeviceMemory each : memory) {
            each.close();
        }
    }

    @Test
    void aLayerReadsItsColumnWhereItIs() {
        float[][] queries = queries(7, 5);
        Weights.Entries entries = (k, n) -> k - 2 * n;
        try (HostColumnVector column = column(queries);
                DeviceMemory values = upload(column);
                DeviceMemory results = DeviceMemory.allocate(7 * 3 * Float.BYTES);
                Weights weights = new Weights(Precision.SINGLE, 5, 3, entries, new float[3]);
                Gemm layer = new Gemm(weights, Scheme.THREAD, Activation.NONE);
                Activations input = Activations.of(values.address(), Precision.SINGLE, 7, 5);
                Activations output = Activations.of(results.address(), Precision.SINGLE, 7, 3);
                FaultBuffer faults = new FaultBuffer(device.stream)) {
            layer.run(input, output, faults, device.stream);
            assertThat(faults.read(device.stream).isClean()).isTrue();
            try (HostColumnVector answers = download(results.address(), DType.FLOAT32, 7, 3)) {
                for (int row = 0; row < 7; row++) {
                    for (int n = 0; n < 3; n++) {
                        double expected = 0;
                        for (int k = 0; k < 5; k++) {
                            expected += queries[row][k] * entries.at(k, n);
                        }
                        assertThat((double) TensorReader.of(answers).floats(row)[n])
                                .isCloseTo(expected, org.assertj.core.api.Assertions.within(1e-5));
                    }
                }
            }
        }
    }
}
