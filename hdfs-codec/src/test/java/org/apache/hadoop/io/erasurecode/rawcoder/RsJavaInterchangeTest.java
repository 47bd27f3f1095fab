/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.io.erasurecode.rawcoder;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.Erasures;
import io.paritas.erasure.Stripes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Our coders and Hadoop's are interchangeable: the same parity, and each decodes what the other encoded. */
class RsJavaInterchangeTest {
    private static final int[] LENGTHS = {1, 7, 64, 333, 4097};

    @ParameterizedTest
    @CsvSource({"3, 2", "4, 2", "6, 3", "10, 4", "12, 4"})
    void rsParityIsThatOfRsJavaAndBothDecodeBoth(int k, int r) throws IOException {
        interchange(new RSRawErasureCoderFactory(), new ParitasRSRawErasureCoderFactory(), new CodeParameters(k, r));
    }

    @ParameterizedTest
    @CsvSource({"2", "3", "10"})
    void xorParityIsThatOfXorJavaAndBothDecodeBoth(int k) throws IOException {
        interchange(new XORRawErasureCoderFactory(), new ParitasXORRawErasureCoderFactory(), new CodeParameters(k, 1));
    }

    private static void interchange(RawErasureCoderFactory java, RawErasureCoderFactory ours, CodeParameters code)
            throws IOException {
        ErasureCoderOptions options = new ErasureCoderOptions(code.k(), code.r());
        RawErasureDecoder javaDecoder = java.createDecoder(options);
        RawErasureDecoder ourDecoder = ours.createDecoder(options);
        List<byte[][]> all = new ArrayList<>();
        for (int length : LENGTHS) {
            byte[][] units = encode(java.createEncoder(options), code, length);
            assertThat(encode(ours.createEncoder(options), code, length)).isDeepEqualTo(units);
            all.add(units);
        }
        // What a pattern takes is made once for all lengths.
        for (Erasures missing : patterns(code)) {
            for (byte[][] units : all) {
                decodes(javaDecoder, units, missing);
                decodes(ourDecoder, units, missing);
            }
        }
    }

    private static byte[][] encode(RawErasureEncoder encoder, CodeParameters code, int length) throws IOException {
        byte[][] units = Stripes.units(code.n(), length, Stripes.random("interchange", code, length));
        encoder.encode(Arrays.copyOf(units, code.k()), Arrays.copyOfRange(units, code.k(), code.n()));
        return units;
    }

    private static List<Erasures> patterns(CodeParameters code) {
        List<Erasures> all = Stripes.allErasures(code).toList();
        int step = Math.max(1, all.size() / 150);
        return IntStream.iterate(0, i -> i < all.size(), i -> i + step)
                .mapToObj(all::get)
                .toList();
    }

    private static void decodes(RawErasureDecoder decoder, byte[][] units, Erasures missing) throws IOException {
        byte[][] inputs = units.clone();
        missing.stream().forEach(unit -> inputs[unit] = null);
        byte[][] outputs = Stripes.units(missing.size(), units[0].length, Stripes.random("dirty"));
        decoder.decode(inputs, missing.toArray(), outputs);
        for (int i = 0; i < outputs.length; i++) {
            assertThat(outputs[i])
                    .as("%s, missing %s, seed %d", decoder.getClass(), missing, Stripes.SEED)
                    .isEqualTo(units[missing.toArray()[i]]);
        }
    }
}
