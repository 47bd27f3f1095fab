/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

import io.paritas.inference.recommend.data.MiniBatch;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** The model once more, forward only, sample by sample, in double precision: what others are compared with. */
final class ReferenceDlrm {
    private final DlrmShape shape;

    ReferenceDlrm(DlrmShape shape) {
        this.shape = shape;
    }

    double loss(MiniBatch batch, double[] network, double[] rows) {
        double[] logits = logits(batch, network, rows);
        return IntStream.range(0, logits.length)
                .mapToDouble(i -> Math.log1p(Math.exp(logits[i])) - batch.labels()[i] * logits[i])
                .average()
                .orElseThrow();
    }

    double[] logits(MiniBatch batch, double[] network, double[] rows) {
        return IntStream.range(0, batch.size())
                .mapToDouble(sample -> logit(batch, sample, network, rows))
                .toArray();
    }

    private double logit(MiniBatch batch, int sample, double[] network, double[] rows) {
        int features = shape.denseFeatures();
        double[] dense = IntStream.range(0, features)
                .mapToDouble(i -> batch.dense()[sample * features + i])
                .toArray();
        double[][] vectors = new double[shape.tables().count() + 1][shape.dimension()];
        vectors[0] = run(shape.bottomLayers(), network, dense);
        for (int i = batch.start(sample); i < batch.start(sample + 1); i++) {
            int place = batch.places()[i];
            int table = 0;
            while (batch.ids()[place]
                    >= shape.tables().first(table) + shape.tables().rows(table)) {
                table++;
            }
            for (int j = 0; j < shape.dimension(); j++) {
                vectors[table + 1][j] += rows[place * shape.dimension() + j];
            }
        }
        return run(shape.topLayers(), network, interaction(vectors))[0];
    }

    private double[] interaction(double[][] vectors) {
        if (shape.interaction() == Interaction.CONCATENATION) {
            return Arrays.stream(vectors).flatMapToDouble(Arrays::stream).toArray();
        }
        double[] pairs = new double[vectors.length * (vectors.length - 1) / 2];
        int pair = 0;
        for (int i = 1; i < vectors.length; i++) {
            for (int j = 0; j < i; j++) {
                pairs[pair++] = dot(vectors[i], vectors[j]);
            }
        }
        double[] all = Arrays.copyOf(vectors[0], vectors[0].length + pairs.length);
        System.arraycopy(pairs, 0, all, vectors[0].length, pairs.length);
        return all;
    }

    private static double dot(double[] left, double[] right) {
        return IntStream.range(0, left.length)
                .mapToDouble(i -> left[i] * right[i])
                .sum();
    }

    private static double[] run(List<Layer> layers, double[] network, double[] inputs) {
        double[] values = inputs;
        for (Layer layer : layers) {
            double[] outputs = new double[layer.outputs()];
            for (int i = 0; i < outputs.length; i++) {
                outputs[i] = network[layer.biasOffset() + i];
                for (int j = 0; j < values.length; j++) {
                    outputs[i] += network[layer.offset() + i * values.length + j] * values[j];
                }
                outputs[i] = layer.isRectified() ? Math.max(0, outputs[i]) : outputs[i];
            }
            values = outputs;
        }
        return values;
    }
}
