/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.model;

import io.paritas.spark.ecrm.data.CounterRandom;
import io.paritas.spark.ecrm.table.Initial;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the networks start with: matrices uniform with the deviation √(2 / (inputs + outputs)), and biases 0 (X. Glorot and Y.
 * Bengio, "Understanding the difficulty of training deep feedforward neural networks", AISTATS 2010). The public code of the
 * thesis (section 5.4) has the same deviation, with truncated normal numbers.
 */
public final class InitialNetwork {
    private static final int STREAM = 2;

    private InitialNetwork() {}

    /** How a server makes each of {@link DlrmShape#parameters}, as row 0. Equal seeds give equal parameters. */
    public static List<Initial> initials(DlrmShape shape, long seed) {
        List<Initial> initials = new ArrayList<>();
        Stream.concat(shape.bottomLayers().stream(), shape.topLayers().stream()).forEach(layer -> {
            float bound = (float) Math.sqrt(6.0 / (layer.inputs() + layer.outputs()));
            initials.add(new Initial(CounterRandom.key(seed, STREAM, initials.size()), -bound, bound));
            initials.add(new Initial(0, 0, 0));
        });
        return initials;
    }

    /** All parameters, {@link DlrmShape#parameterCount} numbers. */
    public static float[] of(DlrmShape shape, long seed) {
        float[] parameters = new float[shape.parameterCount()];
        List<Initial> initials = initials(shape, seed);
        for (int i = 0; i < initials.size(); i++) {
            Parameter parameter = shape.parameters().get(i);
            float[] values = new float[parameter.length()];
            initials.get(i).fill(0, values, values.length);
            System.arraycopy(values, 0, parameters, parameter.offset(), values.length);
        }
        return parameters;
    }
}
