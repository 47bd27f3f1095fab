/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

import io.paritas.random.SplitMix64;
import io.paritas.spark.ecrm.table.Initializer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Initial parameters of the networks: matrices uniform with the standard deviation √(2 / (inputs + outputs)), biases 0 (X. Glorot
 * and Y. Bengio, "Understanding the difficulty of training deep feedforward neural networks", AISTATS 2010). The public code of
 * the thesis (5.4) has the same deviation, but truncated normal numbers.
 */
public final class InitialNetwork {
    private static final int STREAM = 2;

    private InitialNetwork() {}

    /** Initial values of each of {@link DlrmShape#parameters}, as row 0 of a block. Equal seeds give equal parameters. */
    public static List<Initializer> initials(DlrmShape shape, long seed) {
        List<Initializer> initials = new ArrayList<>();
        Stream.concat(shape.bottomLayers().stream(), shape.topLayers().stream()).forEach(layer -> {
            float bound = (float) Math.sqrt(6.0 / (layer.inputs() + layer.outputs()));
            initials.add(new Initializer(SplitMix64.key(seed, STREAM, initials.size()), -bound, bound));
            initials.add(new Initializer(0, 0, 0));
        });
        return initials;
    }

    /** The initial values of all parameters, {@link DlrmShape#parameterCount} numbers. */
    public static float[] of(DlrmShape shape, long seed) {
        float[] parameters = new float[shape.parameterCount()];
        List<Initializer> initials = initials(shape, seed);
        for (int i = 0; i < initials.size(); i++) {
            Parameter parameter = shape.parameters().get(i);
            float[] values = new float[parameter.length()];
            initials.get(i).fill(0, values, values.length);
            System.arraycopy(values, 0, parameters, parameter.offset(), values.length);
        }
        return parameters;
    }
}
