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
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * A model as an ONNX graph. Its input {@code inputs} has the dense numbers of a sample, and for each table either the sum of the
 * sample's rows (samples, dense numbers + tables · dimension) or, where the graph has the tables in it, the number of one row
 * (samples, dense numbers + tables). Its output {@code probability} (samples, 1) is how likely a click is.
 */
final class OnnxNetwork {
    private final DlrmShape shape;
    private final GraphBuilder builder;

    /** @param values of the input for each table */
    private OnnxNetwork(DlrmShape shape, int values, List<Weight> weights) {
        this.shape = shape;
        TensorSpec inputs = new TensorSpec(
                "inputs", List.of(shape.denseFeatures() + shape.tables().count() * values));
        this.builder = new GraphBuilder(inputs, weights);
    }

    /** The graph with these parameters, for sums of rows. */
    static Graph of(DlrmShape shape, float[] parameters) {
        return new OnnxNetwork(shape, shape.dimension(), weights(shape, parameters)).graph(UnaryOperator.identity());
    }

    /**
     * The graph with these parameters and tables, for numbers of rows.
     *
     * @param tables the rows of each table, one after the other
     */
    static Graph of(DlrmShape shape, float[] parameters, List<float[]> tables) {
        List<Weight> weights = new ArrayList<>(weights(shape, parameters));
        for (int table = 0; table < tables.size(); table++) {
            int[] sizes = {rows(shape, table), shape.dimension()};
            weights.add(new Weight(name(table) + ".rows", Role.CONSTANT, sizes, tables.get(table)));
        }
        OnnxNetwork network = new OnnxNetwork(shape, 1, weights);
        return network.graph(network::rows);
    }

    private static int rows(DlrmShape shape, int table) {
        return Math.toIntExact(shape.tables().rows(table));
    }

    private static String name(int table) {
        return "table." + table;
    }

    private Value rows(Value numbers) {
        return builder.concat(IntStream.range(0, shape.tables().count())
                .mapToObj(table -> builder.lookup(
                        name(table), builder.select(numbers, table), rows(shape, table), shape.dimension()))
                .toArray(Value[]::new));
    }

    /** @param pooled from the part of the input that is not dense to the sum of the rows of each table */
    private Graph graph(UnaryOperator<Value> pooled) {
        List<Value> parts = builder.split(builder.input(), shape.denseFeatures());
        Value features = layers(shape.bottomLayers(), parts.get(0));
        Value sums = pooled.apply(parts.get(1));
        Value interaction =
                switch (shape.interaction()) {
                    case CONCATENATION -> sums;
                    case DOT -> innerProducts(features, sums);
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
