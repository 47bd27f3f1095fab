/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.bench;

import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.ErasureCode;
import io.paritas.erasure.Erasures;
import io.paritas.erasure.Generators;
import io.paritas.erasure.RepairPlan;
import io.paritas.erasure.kernel.KernelChoice;
import io.paritas.erasure.kernel.Regions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RSRawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureDecoder;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;

/**
 * An implementation of HDFS's codec {@code rs}.
 *
 * @param name its name in the table
 * @param onStripe the implementation on one stripe: computes the parity in place, or the lost data units
 */
record Coder(String name, Function<Stripe, Coder.OnStripe> onStripe) {
    /** A coder on one stripe. */
    interface OnStripe {
        void encode() throws IOException;

        /** Makes the first data units into the stripe's outputs, without reading them. */
        void decode(int erased) throws IOException;

        default void run(Operation operation, int r) throws IOException {
            if (operation == Operation.ENCODE) {
                encode();
            } else {
                decode(operation.erased(r));
            }
        }
    }

    /** First Hadoop's coder, which the others are compared with, then ours on each kernel that can run here, from slow to fast. */
    static List<Coder> available() {
        // What is measured runs in the long term, so generated code runs from the start, and is compiled meanwhile.
        System.setProperty("io.paritas.kernel.warmUp", "0");
        List<Coder> coders = new ArrayList<>();
        coders.add(new Coder("rs_java", Coder::rsJava));
        coders.add(new Coder("plain", stripe -> ours(stripe, KernelChoice.named("plain"))));
        if (KernelChoice.named("auto").provider().name().equals("vector")) {
            coders.add(new Coder("vector", stripe -> ours(stripe, KernelChoice.named("vector"))));
        }
        return coders;
    }

    private static OnStripe ours(Stripe stripe, KernelChoice kernel) {
        CodeParameters code = stripe.code();
        ErasureCode coder = ErasureCode.of(Generators.hdfsCauchy(code), kernel.provider());
        return new OnStripe() {
            @Override
            public void encode() {
                coder.encode(stripe.data(), stripe.parity());
            }

            @Override
            public void decode(int erased) {
                RepairPlan plan =
                        coder.repairPlan(Erasures.of(IntStream.range(0, erased).toArray()));
                plan.apply(
                        Regions.of(stripe.units()).pick(plan.sources()),
                        Regions.of(Arrays.copyOf(stripe.outputs(), erased)));
            }
        };
    }

    private static OnStripe rsJava(Stripe stripe) {
        ErasureCoderOptions options =
                new ErasureCoderOptions(stripe.code().k(), stripe.code().r());
        RawErasureEncoder encoder = new RSRawErasureCoderFactory().createEncoder(options);
        RawErasureDecoder decoder = new RSRawErasureCoderFactory().createDecoder(options);
        return new OnStripe() {
            @Override
            public void encode() throws IOException {
                encoder.encode(stripe.data(), stripe.parity());
            }

            @Override
            public void decode(int erased) throws IOException {
                byte[][] inputs = stripe.units().clone();
                Arrays.fill(inputs, 0, erased, null);
                decoder.decode(inputs, IntStream.range(0, erased).toArray(), Arrays.copyOf(stripe.outputs(), erased));
            }
        };
    }
}
