/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

import io.paritas.inference.TensorSpec;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.GraphBuilder;
import io.paritas.inference.graph.GraphBuilder.Value;
import io.paritas.inference.graph.Weight;
import io.paritas.inference.graph.Weight.Role;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The networks as an ONNX graph. Its input {@code inputs} (samples, dense numbers + tables · dimension) has the dense numbers
 * of a sample and then the sum of its rows for each table; its output {@code probability} (samples, 1) is how likely a click is.
 */
final class OnnxNetwork {
    private final DlrmShape shape;
    private final GraphBuilder builder;

    private OnnxNetwork(DlrmShape shape) {
        this.shape = shape;
        this.builder = new GraphBuilder(new TensorSpec(
                "inputs", List.of(shape.denseFeatures() + shape.tables().count() * shape.dimension())));
    }

    /** The graph with these parameters. */
    static Graph of(DlrmShape shape, float[] parameters) {
        return new OnnxNetwork(shape).graph().with(weights(shape, parameters));
    }

    private Graph graph() {
        List<Value> parts = builder.split(builder.input(), shape.denseFeatures());
        Value features = layers(shape.bottomLayers(), parts.get(0));
        Value interaction =
                switch (shape.interaction()) {
                    case CONCATENATION -> parts.get(1);
                    case DOT -> innerProducts(features, parts.get(1));
                };
        Value logit = layers(shape.topLayers(), builder.concat(features, interaction));
        return builder.output(builder.sigmoid("probability", logit));
    }

    private Value layers(List<Layer> layers, Value inputs) {
        Value values = inputs;
        for (Layer layer : layers) {
            values = builder.linear(layer.name(), values, layer.outputs());
            if (layer.isRectified()) {
                values = builder.relu(values);
            }
        }
        return values;
    }

    private Value innerProducts(Value features, Value pooled) {
        int count = shape.tables().count() + 1;
        Value vectors = builder.reshape(builder.concat(features, pooled), count, shape.dimension());
        Value products = builder.reshape(builder.innerProducts(vectors), count * count);
        return builder.select(products, shape.pairs());
    }

    private static List<Weight> weights(DlrmShape shape, float[] parameters) {
        List<Weight> weights = new ArrayList<>();
        for (List<Layer> layers : List.of(shape.bottomLayers(), shape.topLayers())) {
            for (Layer layer : layers) {
                float[] matrix = Arrays.copyOfRange(parameters, layer.offset(), layer.biasOffset());
                float[] bias = Arrays.copyOfRange(parameters, layer.biasOffset(), layer.end());
                int[] sizes = {layer.outputs(), layer.inputs()};
                weights.add(new Weight(layer.name() + ".weight", Role.MATRIX, sizes, matrix));
                weights.add(new Weight(layer.name() + ".bias", Role.BIAS, new int[] {layer.outputs()}, bias));
            }
        }
        return weights;
    }
}
