/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.model;

import io.paritas.spark.ecrm.data.CriteoLogs;
import io.paritas.spark.ecrm.data.Tables;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * How a model is built: the bottom network takes the dense numbers of a sample; of each table, the sample's rows are summed; the
 * top network takes both, and gives the logit of a click. Every layer but the last one is rectified. Immutable.
 *
 * @param denseFeatures dense numbers of a sample
 * @param bottom outputs of the bottom network's layers
 * @param tables the embedding tables
 * @param dimension numbers in a row of a table
 * @param interaction what the top network gets
 * @param top outputs of the top network's layers, without the last layer, which has one output
 */
public record DlrmShape(
        int denseFeatures,
        List<Integer> bottom,
        Tables tables,
        int dimension,
        Interaction interaction,
        List<Integer> top)
        implements Serializable {

    /** @throws IllegalArgumentException if a number is below 1, vectors do not fit, or there are too many parameters */
    public DlrmShape {
        bottom = List.copyOf(bottom);
        top = List.copyOf(top);
        require(denseFeatures >= 1, "A model takes at least one dense number; got " + denseFeatures);
        require(dimension >= 1, "A row of an embedding table has at least one number; got " + dimension);
        require(!bottom.isEmpty(), "The bottom network has at least one layer; got none");
        require(
                Stream.concat(bottom.stream(), top.stream()).allMatch(outputs -> outputs >= 1),
                "A layer has at least one output; got " + bottom + " and " + top);
        require(
                interaction != Interaction.DOT || last(bottom) == dimension,
                "For inner products, the bottom network has as many outputs as a row has numbers; got " + bottom
                        + " and rows of " + dimension);
        require(
                parameters(denseFeatures, bottom) + parameters(topInputs(bottom, tables, dimension, interaction), top)
                        < Integer.MAX_VALUE - 8,
                "The networks have less than 2^31 parameters; got layers of " + bottom + " and " + top);
    }

    /**
     * The network that the thesis evaluates (section 5.4; read from its public code): 13 → 512 → 256 → 128, one table with rows
     * of 128 numbers, and 256 → 1024 → 1024 → 512 → 256 → 1.
     *
     * @param rows of the table
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
     * The network of DLRM's own code for Criteo's Kaggle data: 13 → 512 → 256 → 64 → 16, a table for each categorical value with
     * rows of 16 numbers, inner products, and → 512 → 256 → 1.
     *
     * @param tables usually 26
     */
    public static DlrmShape reference(Tables tables) {
        return new DlrmShape(
                CriteoLogs.DENSE, List.of(512, 256, 64, 16), tables, 16, Interaction.DOT, List.of(512, 256));
    }

    /** How many parameters the bottom and the top network have together. */
    public int parameterCount() {
        List<Layer> layers = topLayers();
        return layers.get(layers.size() - 1).end();
    }

    /** The parameters, in the order in which they are in one array. */
    public List<Parameter> parameters() {
        return Stream.concat(bottomLayers().stream(), topLayers().stream())
                .flatMap(layer -> Stream.of(
                        new Parameter(layer.name() + ".weight", layer.offset(), layer.weights()),
                        new Parameter(layer.name() + ".bias", layer.biasOffset(), layer.outputs())))
                .toList();
    }

    List<Layer> bottomLayers() {
        return layers("bottom", denseFeatures, bottom, 0, true);
    }

    List<Layer> topLayers() {
        List<Layer> bottomLayers = bottomLayers();
        int offset = bottomLayers.get(bottomLayers.size() - 1).end();
        List<Integer> outputs = new ArrayList<>(top);
        outputs.add(1);
        return layers("top", (int) topInputs(bottom, tables, dimension, interaction), outputs, offset, false);
    }

    private static List<Layer> layers(
            String network, int inputs, List<Integer> outputs, int offset, boolean lastIsRectified) {
        List<Layer> layers = new ArrayList<>();
        int before = inputs;
        int next = offset;
        for (int i = 0; i < outputs.size(); i++) {
            boolean rectified = lastIsRectified || i < outputs.size() - 1;
            Layer layer = new Layer(network + "." + i, before, outputs.get(i), next, rectified);
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

    /** Of the layers with those outputs, and for a bound, of one more that has one. */
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
