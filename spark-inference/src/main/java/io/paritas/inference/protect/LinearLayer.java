/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import io.paritas.inference.protect.product.Activations;
import io.paritas.inference.protect.product.Findings;
import io.paritas.inference.protect.product.Probe;
import io.paritas.inference.protect.product.Product;
import io.paritas.inference.protect.product.Product.Target;
import io.paritas.inference.protect.product.Scheme;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;

/**
 * A convolution or a linear layer: one product for each group of channels.
 *
 * @param name for messages and plans, as in {@code Conv 'conv1'}
 * @param in a row of its input
 * @param out a row of its output
 * @param window of a convolution; null for a linear layer
 * @param products one for each group
 */
record LinearLayer(String name, Image in, Image out, Window window, List<Product> products) {

    /** Computes and checks a batch. */
    Findings run(
            int rows, float[] input, float[] output, Scheme scheme, Probe probe, int threads, ExecutorService helpers) {
        Findings findings = Findings.NONE;
        for (int group = 0; group < products.size(); group++) {
            Product product = products.get(group);
            Target target = new Target(output, group * product.weights().columns(), out.channels());
            findings = findings.plus(
                    product.run(activations(rows, input, group), target, scheme, probe, threads, helpers));
        }
        return findings;
    }

    private Activations activations(int rows, float[] input, int group) {
        if (window == null || (products.size() == 1 && window.isPointwise())) {
            return Activations.of(input, rows * out.pixels(), in.channels());
        }
        int channels = in.channels() / products.size();
        return new Patches(input, rows, in, out, window, group * channels, channels);
    }

    LayerGeometry geometry(int rows) {
        return new LayerGeometry(name, rows, in, Optional.ofNullable(window), shape(rows));
    }

    /** Its size for a batch of that many rows, all groups together. */
    LayerShape shape(int rows) {
        Product first = products.get(0);
        return new LayerShape(
                (long) rows * out.pixels(),
                first.weights().columns(),
                first.weights().depth(),
                products.size());
    }
}
