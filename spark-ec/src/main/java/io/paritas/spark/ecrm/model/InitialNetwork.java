/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.model;

import io.paritas.spark.ecrm.data.CounterRandom;
import java.util.stream.Stream;

/**
 * What the networks start with: matrices normal with the deviation √(2 / (inputs + outputs)), without what is beyond two
 * deviations, and biases 0, as in the public code of the thesis (section 5.4).
 */
public final class InitialNetwork {
    private static final int STREAM = 2;

    private InitialNetwork() {}

    /** All parameters, {@link DlrmShape#parameterCount} numbers. Equal seeds give equal parameters. */
    public static float[] of(DlrmShape shape, long seed) {
        float[] parameters = new float[shape.parameterCount()];
        Stream.concat(shape.bottomLayers().stream(), shape.topLayers().stream()).forEach(layer -> {
            double deviation = Math.sqrt(2.0 / (layer.inputs() + layer.outputs()));
            for (int i = layer.offset(); i < layer.biasOffset(); i++) {
                parameters[i] = (float) (deviation * truncatedNormal(CounterRandom.key(seed, STREAM, i)));
            }
        });
        return parameters;
    }

    private static double truncatedNormal(long key) {
        long attempt = 0;
        double value;
        do {
            value = CounterRandom.normal(key, attempt++);
        } while (Math.abs(value) > 2);
        return value;
    }
}
