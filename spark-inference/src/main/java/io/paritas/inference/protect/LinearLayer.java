/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import io.paritas.inference.protect.gemm.Activations;
import io.paritas.inference.protect.gemm.Findings;
import io.paritas.inference.protect.gemm.Gemm;
import io.paritas.inference.protect.gemm.Gemm.Target;
import io.paritas.inference.protect.gemm.Probe;
import io.paritas.inference.protect.gemm.Scheme;
import java.util.List;
import java.util.concurrent.ExecutorService;

/**
 * A convolution or a linear layer: one matrix product for each group of channels.
 *
 * @param name name for messages and plans, as in {@code Conv 'conv1'}
 * @param in shape of a row of the input
 * @param out shape of a row of the output
 * @param window window of a convolution; null for a linear layer
 * @param gemms a product for each group
 */
record LinearLayer(String name, ImageShape in, ImageShape out, Window window, List<Gemm> gemms) {

    /** Computes and checks a batch. The probe sees the columns of all groups, side by side. */
    Findings run(
            int rows, float[] input, float[] output, Scheme scheme, Probe probe, int threads, ExecutorService helpers) {
        Findings findings = Findings.NONE;
        for (int group = 0; group < gemms.size(); group++) {
            Gemm gemm = gemms.get(group);
            int channel = group * gemm.weights().columns();
            Target target = new Target(output, channel, out.channels());
            Probe own = probe == Probe.NONE ? probe : new GroupProbe(probe, channel);
            findings = findings.plus(gemm.run(activations(rows, input, group), target, scheme, own, threads, helpers));
        }
        return findings;
    }

    private Activations activations(int rows, float[] input, int group) {
        if (window == null || (gemms.size() == 1 && window.isPointwise())) {
            return Activations.of(input, rows * out.pixels(), in.channels());
        }
        int channels = in.channels() / gemms.size();
        return new Patches(input, rows, in, out, window, group * channels, channels);
    }

    /** The sizes of the products for a batch of that many rows. */
    LayerShape shape(int rows) {
        Gemm first = gemms.get(0);
        return new LayerShape(
                (long) rows * out.pixels(),
                first.weights().columns(),
                first.weights().depth(),
                gemms.size());
    }
}
