/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.BitMatrix;
import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.StripCode;
import io.paritas.gpu.Device;
import io.paritas.gpu.DeviceMemory;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What we compare with computes the code, too. */
@Tag("kernels")
class GcrsTest {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 20_261_122L);

    @Test
    void computesTheBitmatrix() {
        for (int[] shape : new int[][] {{4, 2}, {10, 4}, {6, 9}, {40, 3}}) {
            StripCode code = StripCode.cauchy(new CodeParameters(shape[0], shape[1]));
            List<BitSet> rows = BitMatrix.rows(code.generator());
            int unit = code.w() * Long.BYTES * 53;
            byte[] data = new byte[shape[0] * unit];
            new Random(SEED).nextBytes(data);
            try (Device device = new Device();
                    DeviceMemory from = device.upload(data);
                    DeviceMemory to = device.allocate((long) shape[1] * unit)) {
                new Gcrs(device.gpu, code.w(), shape[0], rows).apply(from.address(), to.address(), unit, device.stream);
                assertThat(device.download(to.address(), shape[1] * unit))
                        .as("%s, seed %d", Arrays.toString(shape), SEED)
                        .isEqualTo(expected(data, rows, unit, code.w()));
            }
        }
    }

    private static byte[] expected(byte[] data, List<BitSet> rows, int unit, int w) {
        byte[] parity = new byte[rows.size() / w * unit];
        for (int row = 0; row < rows.size(); row++) {
            int output = row;
            rows.get(row).stream().forEach(column -> {
                for (int group = 0; group < unit; group += w * Long.BYTES) {
                    for (int x = 0; x < Long.BYTES; x++) {
                        parity[output / w * unit + group + output % w * Long.BYTES + x] ^=
                                data[column / w * unit + group + column % w * Long.BYTES + x];
                    }
                }
            });
        }
        return parity;
    }
}
