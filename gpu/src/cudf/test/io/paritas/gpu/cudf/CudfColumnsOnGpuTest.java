/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.cudf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.rapids.cudf.ColumnVector;
import ai.rapids.cudf.ColumnView;
import ai.rapids.cudf.Cuda;
import ai.rapids.cudf.DType;
import ai.rapids.cudf.DeviceMemoryBuffer;
import ai.rapids.cudf.HostColumnVector;
import ai.rapids.cudf.PinnedMemoryPool;
import ai.rapids.cudf.Rmm;
import ai.rapids.cudf.RmmAllocationMode;
import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.ErasureCode;
import io.paritas.erasure.kernel.Program;
import io.paritas.gpu.CudaStream;
import io.paritas.gpu.Gpu;
import io.paritas.gpu.MemorySource;
import io.paritas.gpu.erasure.DeviceKernels;
import io.paritas.gpu.nn.Activation;
import io.paritas.gpu.nn.Activations;
import io.paritas.gpu.nn.FaultBuffer;
import io.paritas.gpu.nn.Gemm;
import io.paritas.gpu.nn.ParityEncoder;
import io.paritas.gpu.nn.Precision;
import io.paritas.gpu.nn.Scheme;
import io.paritas.gpu.nn.Weights;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** From rows to rows through columns of cuDF on the GPU, beside RMM and its pinned pool. Needs a GPU: elsewhere it is skipped. */
@EnabledIf(value = "isWanted", disabledReason = "cuDF finds no GPU, and has memory and columns only on one")
class CudfColumnsOnGpuTest {
    private static final long POOL = 256L << 20;
    private static final int ROWS = 37;
    private static final int VALUES = 100;
    private static final Random RANDOM = new Random(5);

    private static CudaStream stream;

    static boolean isWanted() {
        return Boolean.getBoolean("gpu.require") || Cuda.isEnvCompatibleForTesting();
    }

    @BeforeAll
    static void open() {
        /* The one question that is safe without a GPU. */
        assertThat(Cuda.isEnvCompatibleForTesting())
                .as("gpu.require asks for a GPU that cuDF can use")
                .isTrue();
        /* Both stay until the JVM ends: kernels keep tables in RMM's memory. */
        Rmm.initialize(RmmAllocationMode.POOL, null, POOL);
        PinnedMemoryPool.initialize(POOL);
        Gpu.get().bind();
        stream = CudfRegions.stream(Cuda.DEFAULT_STREAM);
    }

    private static float[][] floats() {
        float[][] rows = new float[ROWS][VALUES];
        for (float[] row : rows) {
            for (int i = 0; i < VALUES; i++) {
                row[i] = RANDOM.nextFloat();
            }
        }
        return rows;
    }

    private static ColumnVector column(float[][] rows) {
        try (TensorWriter writer = TensorWriter.floats(rows.length, rows[0].length)) {
            for (float[] row : rows) {
                writer.add(row);
            }
            try (HostColumnVector column = writer.finish()) {
                return column.copyToDevice();
            }
        }
    }

    private static ColumnVector column(byte[][] rows) {
        try (TensorWriter writer = TensorWriter.bytes(rows.length, rows[0].length)) {
            for (byte[] row : rows) {
                writer.add(row);
            }
            try (HostColumnVector column = writer.finish()) {
                return column.copyToDevice();
            }
        }
    }

    @Test
    void memoryIsRmms() {
        assertThat(MemorySource.current().name()).isEqualTo("RMM");
    }

    @Test
    void parityOfTwoColumnsIsAColumn() {
        float[][] first = floats();
        float[][] second = floats();
        try (ColumnVector one = column(first);
                ColumnVector two = column(second)) {
            DeviceTensors a = DeviceTensors.of(one);
            DeviceTensors b = DeviceTensors.of(two);
            assertThat(a.rows()).isEqualTo(ROWS);
            assertThat(a.values()).isEqualTo(VALUES);
            DeviceMemoryBuffer sum = DeviceMemoryBuffer.allocate(a.bytes());
            ParityEncoder.add(
                    new float[] {1, 2},
                    new long[] {a.address(), b.address()},
                    sum.getAddress(),
                    (long) ROWS * VALUES,
                    stream);
            stream.synchronise();
            try (ColumnVector parity = DeviceTensors.column(DType.FLOAT32, ROWS, VALUES, sum);
                    HostColumnVector host = parity.copyToHost()) {
                TensorReader rows = TensorReader.of(host);
                for (int row = 0; row < ROWS; row++) {
                    for (int i = 0; i < VALUES; i++) {
                        assertThat(rows.floats(row)[i]).isEqualTo(first[row][i] + 2 * second[row][i]);
                    }
                }
            }
        }
    }

    @Test
    void parityOfBinaryColumnsIsThatOfEachRow() {
        ErasureCode code = ErasureCode.hdfsRs(new CodeParameters(2, 1));
        byte[][][] units = new byte[2][ROWS][VALUES];
        for (byte[][] unit : units) {
            for (byte[] row : unit) {
                RANDOM.nextBytes(row);
            }
        }
        try (ColumnVector one = column(units[0]);
                ColumnVector two = column(units[1])) {
            DeviceTensors first = DeviceTensors.of(one);
            DeviceMemoryBuffer parity = DeviceMemoryBuffer.allocate(first.bytes());
            DeviceKernels.bytes(Program.product(code.generator().toRows()))
                    .apply(CudfRegions.of(first, DeviceTensors.of(two)), CudfRegions.of(parity), stream);
            stream.synchronise();
            try (ColumnVector column = DeviceTensors.column(DType.UINT8, ROWS, VALUES, parity);
                    HostColumnVector host = column.copyToHost()) {
                for (int row = 0; row < ROWS; row++) {
                    byte[] expected = new byte[VALUES];
                    code.encode(new byte[][] {units[0][row], units[1][row]}, new byte[][] {expected});
                    assertThat(TensorReader.of(host).bytes(row)).isEqualTo(expected);
                }
            }
        }
    }

    @Test
    void aLayerReadsItsColumnWhereItIs() {
        float[][] queries = floats();
        Weights.Entries entries = (k, n) -> (k % 7 - 3) * (n + 1);
        try (ColumnVector column = column(queries);
                DeviceMemoryBuffer results = DeviceMemoryBuffer.allocate(ROWS * 3L * Float.BYTES);
                Weights weights = new Weights(Precision.SINGLE, VALUES, 3, entries, new float[3]);
                Gemm layer = new Gemm(weights, Scheme.GLOBAL, Activation.NONE);
                Activations input = Activations.of(DeviceTensors.of(column).address(), Precision.SINGLE, ROWS, VALUES);
                Activations output = Activations.of(results.getAddress(), Precision.SINGLE, ROWS, 3);
                FaultBuffer faults = new FaultBuffer(stream)) {
            layer.run(input, output, faults, stream);
            assertThat(faults.read(stream).isClean()).isTrue();
            results.incRefCount();
            try (ColumnVector answers = DeviceTensors.column(DType.FLOAT32, ROWS, 3, results);
                    HostColumnVector host = answers.copyToHost()) {
                for (int row = 0; row < ROWS; row++) {
                    for (int n = 0; n < 3; n++) {
                        double expected = 0;
                        for (int k = 0; k < VALUES; k++) {
                            expected += queries[row][k] * entries.at(k, n);
                        }
                        assertThat((double) TensorReader.of(host).floats(row)[n])
                                .isCloseTo(expected, org.assertj.core.api.Assertions.within(1e-3));
                    }
                }
            }
        }
    }

    @Test
    void aBatchMayHaveNoRows() {
        try (TensorWriter writer = TensorWriter.floats(0, 5);
                HostColumnVector host = writer.finish();
                ColumnVector column = host.copyToDevice()) {
            assertThat(DeviceTensors.of(column).rows()).isZero();
        }
    }

    @Test
    void aViewOfAPartOfAColumnIsCopiedFirst() {
        float[][] rows = floats();
        try (ColumnVector column = column(rows)) {
            ColumnView[] parts = column.splitAsViews(10);
            try (ColumnVector copy = parts[1].copyToColumnVector()) {
                assertThat(DeviceTensors.of(copy).rows()).isEqualTo(ROWS - 10);
                assertThatThrownBy(() -> DeviceTensors.of(parts[1]))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("a column must be whole: copy a part first, by copyToColumnVector, got 27"
                                + " rows with 38 offsets");
            } finally {
                for (ColumnView part : parts) {
                    part.close();
                }
            }
        }
    }
}
