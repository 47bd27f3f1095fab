/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

import java.io.IOException;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RSRawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureDecoder;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;

/** Hadoop's own coder for codec {@code rs}, on heap arrays. */
final class RsJava implements JavaLane.Work {
    private final RawErasureEncoder encoder;
    private final RawErasureDecoder decoder;
    private final byte[][] units;
    private final byte[][] data;
    private final byte[][] parity;
    private final byte[][] outputs;

    RsJava(Stripe stripe) {
        ErasureCoderOptions options = new ErasureCoderOptions(
                stripe.shape().code().k(), stripe.shape().code().r());
        encoder = new RSRawErasureCoderFactory().createEncoder(options);
        decoder = new RSRawErasureCoderFactory().createDecoder(options);
        units = Stripe.arrays(stripe.units());
        data = Stripe.arrays(stripe.data());
        parity = Stripe.arrays(stripe.parity());
        outputs = Stripe.arrays(stripe.outputs());
    }

    @Override
    public void encode() throws IOException {
        encoder.encode(data, parity);
    }

    @Override
    public void decode(int erased) throws IOException {
        byte[][] inputs = units.clone();
        Arrays.fill(inputs, 0, erased, null);
        decoder.decode(inputs, IntStream.range(0, erased).toArray(), Arrays.copyOf(outputs, erased));
    }
}
