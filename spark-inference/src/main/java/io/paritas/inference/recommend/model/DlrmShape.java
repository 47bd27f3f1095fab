/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

import io.paritas.PublicApi;
import io.paritas.inference.recommend.data.CriteoLogs;
import io.paritas.inference.recommend.data.Tables;
import io.paritas.inference.recommend.model.Layer.Activation;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The architecture of a DLRM model. The bottom network takes the dense numbers of a sample; the sample's rows of each embedding
 * table are summed; the top network takes both and returns the logit of a click. Every layer but the last is rectified.
 * Immutable.
 *
 * @param denseFeatures dense numbers of a sample
 * @param bottom outputs of the bottom network's layers
 * @param tables sizes of the embedding tables
 * @param dimension numbers in a row of a table
 * @param interaction input of the top network
 * @param top outputs of the top network's layers, without the last layer, which has one output
 */
@PublicApi
public record DlrmShape(
        int denseFeatures,
        List<Integer> bottom,
        Tables tables,
        int dimension,
        Interaction interaction,
        List<Integer> top)
        implements Serializable {

    /**
     * @throws IllegalArgumentException if a number is below 1, the vectors of inner products differ in length, or there are too
     *     many parameters
     */
    public DlrmShape {
        bottom = List.copyOf(bottom);
        top = List.copyOf(top);
        require(denseFeatures >= 1, "denseFeatures must be at least 1, got " + denseFeatures);
        require(dimension >= 1, "dimension must be at least 1, got " + dimension);
        require(!bottom.isEmpty(), "the bottom network must have at least 1 layer, got none");
        require(
                Stream.concat(bottom.stream(), top.stream()).allMatch(outputs -> outputs >= 1),
                "layers must have at least 1 output, got " + bottom + " and " + top);
        require(
                interaction != Interaction.DOT || last(bottom) == dimension,
                "for inner products, the bottom network must have as many outputs as a row has numbers, got " + bottom
                        + " and rows of " + dimension);
        require(
                parameters(denseFeatures, bottom) + parameters(topInputs(bottom, tables, dimension, interaction), top)
                        < Integer.MAX_VALUE - 8,
                "the networks must have less than 2^31 parameters, got layers of " + bottom + " and " + top);
    }

    /**
     * Returns the network that the thesis evaluates (5.4; sizes from its public code): 13 → 512 → 256 → 128, one table with rows
     * of 128 numbers, and 256 → 1024 → 1024 → 512 → 256 → 1.
     *
     * @param rows rows of the table
     */
    public static DlrmShape evaluated(long rows) {
        return new DlrmShape(
                CriteoLogs.DENSE,
                List.of(512, 256, 128),
                Tables.of(rows),
                128,
                Interaction.CONCATENATION,
                List.of(1024, 1024, 512, 256));
    }

    /**
     * Returns the network of DLRM's public code for Criteo's Kaggle data: 13 → 512 → 256 → 64 → 16, a table for each categorical
     * value with rows of 16 numbers, inner products, and → 512 → 256 → 1.
     *
     * @param tables usually 26
     */
    public static DlrmShape reference(Tables tables) {
        return new DlrmShape(
                CriteoLogs.DENSE, List.of(512, 256, 64, 16), tables, 16, Interaction.DOT, List.of(512, 256));
    }

    /** Number of parameters of both networks. */
    public int parameterCount() {
        List<Layer> layers = topLayers();
        return layers.get(layers.size() - 1).end();
    }

    /** The parameters in the order of their array: matrix and bias of each layer, bottom network first. */
    public List<Parameter> parameters() {
        return Stream.concat(bottomLayers().stream(), topLayers().stream())
                .flatMap(layer -> Stream.of(
                        new Parameter(layer.name() + ".weight", layer.offset(), layer.weights()),
                        new Parameter(layer.name() + ".bias", layer.biasOffset(), layer.outputs())))
                .toList();
    }

    List<Layer> bottomLayers() {
        return layers("bottom", denseFeatures, bottom, 0);
    }

    List<Layer> topLayers() {
        List<Layer> bottomLayers = bottomLayers();
        int offset = bottomLayers.get(bottomLayers.size() - 1).end();
        List<Integer> outputs = new ArrayList<>(top);
        outputs.add(1);
        List<Layer> layers = layers("top", (int) topInputs(bottom, tables, dimension, interaction), outputs, offset);
        int last = layers.size() - 1;
        layers.set(last, layers.get(last).linear());
        return layers;
    }

    /**
     * Pairs of the vectors that {@link Interaction#DOT} multiplies, each once, as places in the square matrix of their inner
     * products: below its diagonal, row after row.
     */
    long[] pairs() {
        int count = tables.count() + 1;
        return IntStream.range(0, count * count)
                .filter(i -> i % count < i / count)
                .asLongStream()
                .toArray();
    }

    private static List<Layer> layers(String network, int inputs, List<Integer> outputs, int offset) {
        List<Layer> layers = new ArrayList<>();
        int before = inputs;
        int next = offset;
        for (int i = 0; i < outputs.size(); i++) {
            Layer layer = new Layer(network + "." + i, before, outputs.get(i), next, Activation.RELU);
            layers.add(layer);
            before = layer.outputs();
            next = layer.end();
        }
        return layers;
    }

    private static long topInputs(List<Integer> bottom, Tables tables, int dimension, Interaction interaction) {
        long count = tables.count();
        return last(bottom) + (interaction == Interaction.DOT ? (count + 1) * count / 2 : count * dimension);
    }

    /** An upper bound: the parameters of these layers and of one more with one output. */
    private static double parameters(double inputs, List<Integer> outputs) {
        double sum = 0;
        double before = inputs;
        for (int count : outputs) {
            sum += (before + 1) * count;
            before = count;
        }
        return sum + before + 1;
    }

    private static int last(List<Integer> outputs) {
        return outputs.get(outputs.size() - 1);
    }

    private static void require(boolean rule, String message) {
        if (!rule) {
            throw new IllegalArgumentException(message);
        }
    }
}
