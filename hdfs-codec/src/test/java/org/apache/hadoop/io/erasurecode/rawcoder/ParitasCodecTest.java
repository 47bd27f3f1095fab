/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.io.erasurecode.rawcoder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.ErasureCode;
import io.paritas.erasure.Erasures;
import io.paritas.erasure.Stripes;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The codec {@code paritas}, as HDFS gets it without any setting. */
class ParitasCodecTest {
    private static final int LENGTH = 1009;

    private final Configuration unset = new Configuration();

    /** The shapes that HDFS can have, which stops at 16 units. */
    @ParameterizedTest
    @CsvSource({"3,2", "4,2", "6,3", "8,2", "8,3", "8,4", "10,2", "10,4", "12,4", "2,1", "15,1"})
    void reconstructsEveryLoss(int k, int r) throws IOException {
        ErasureCoderOptions options = new ErasureCoderOptions(k, r);
        RawErasureEncoder encoder = CodecUtil.createRawEncoder(unset, "paritas", options);
        RawErasureDecoder decoder = CodecUtil.createRawDecoder(unset, "paritas", options);
        assertThat(encoder).isInstanceOf(ParitasRawEncoder.class);
        CodeParameters code = new CodeParameters(k, r);
        byte[][] units = Stripes.units(k + r, LENGTH, Stripes.random("paritas"));
        encoder.encode(Arrays.copyOf(units, k), Arrays.copyOfRange(units, k, k + r));
        assertThat(ErasureCode.paritas(code).verify(units)).isTrue();
        for (Erasures missing : Stripes.comparedErasures(code).toList()) {
            byte[][] inputs = units.clone();
            missing.stream().forEach(unit -> inputs[unit] = null);
            byte[][] outputs = new byte[missing.size()][LENGTH];
            decoder.decode(inputs, missing.toArray(), outputs);
            assertThat(outputs)
                    .as("%s", missing)
                    .isDeepEqualTo(
                            missing.stream().mapToObj(unit -> units[unit]).toArray(byte[][]::new));
        }
    }

    /** HDFS decodes any range of bytes of what was encoded in cells. */
    @Test
    void decodesAnyRangeOfAnEncodedCell() throws IOException {
        ErasureCoderOptions options = new ErasureCoderOptions(6, 3);
        byte[][] units = Stripes.units(9, LENGTH, Stripes.random("ranges"));
        CodecUtil.createRawEncoder(unset, "paritas", options)
                .encode(Arrays.copyOf(units, 6), Arrays.copyOfRange(units, 6, 9));
        RawErasureDecoder decoder = CodecUtil.createRawDecoder(unset, "paritas", options);
        Random random = Stripes.random("offsets");
        for (int i = 0; i < 100; i++) {
            int from = random.nextInt(LENGTH);
            int to = from + 1 + random.nextInt(LENGTH - from);
            byte[][] inputs = Arrays.stream(units)
                    .map(unit -> Arrays.copyOfRange(unit, from, to))
                    .toArray(byte[][]::new);
            inputs[1] = null;
            inputs[3] = null;
            inputs[8] = null;
            byte[][] outputs = new byte[2][to - from];
            decoder.decode(inputs, new int[] {1, 3}, outputs);
            assertThat(outputs[0]).as("[%d, %d)", from, to).isEqualTo(Arrays.copyOfRange(units[1], from, to));
            assertThat(outputs[1]).as("[%d, %d)", from, to).isEqualTo(Arrays.copyOfRange(units[3], from, to));
        }
    }

    /** There is no other coder to fall back to, so HDFS reports it at once. */
    @Test
    void aShapeThatItLacksIsRefusedAtCreation() {
        ErasureCoderOptions options = new ErasureCoderOptions(5, 3);
        assertThatThrownBy(() -> new ParitasRawErasureCoderFactory().createEncoder(options))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("(6,3)")
                .hasMessageContaining("got (5,3)");
        assertThatThrownBy(() -> new ParitasRawErasureCoderFactory().createDecoder(options))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("got (5,3)");
        assertThatThrownBy(() -> CodecUtil.createRawEncoder(unset, "paritas", options))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Fail to create raw erasure encoder with given codec: paritas");
    }
}
