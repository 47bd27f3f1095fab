/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import io.paritas.inference.recommend.model.Evaluation;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.GenericArrayData;

/** Batches without a Spark. */
public final class Batches {
    private Batches() {}

    /** Generated samples with consecutive numbers as one batch. */
    public static MiniBatch of(GeneratedClicks clicks, long from, long to) {
        return of(
                clicks.denseFeatures(),
                clicks.tables(),
                LongStream.range(from, to).mapToObj(clicks::sample).toList());
    }

    /** A batch of samples that have labels, dense numbers and ids. */
    public static MiniBatch of(int denseFeatures, Tables tables, float[] labels, float[][] dense, long[][] ids) {
        return of(
                denseFeatures,
                tables,
                LongStream.range(0, labels.length)
                        .mapToObj(i -> new Sample(labels[(int) i], dense[(int) i], ids[(int) i]))
                        .toList());
    }

    /** How the hidden model does on its samples: none does better. */
    public static Evaluation truth(GeneratedClicks clicks, long from, long to) {
        Evaluation truth = new Evaluation();
        LongStream.range(from, to).mapToObj(clicks::sample).forEach(sample -> {
            double probability = clicks.probability(sample.dense(), sample.categorical());
            truth.add((float) Math.log(probability / (1 - probability)), sample.label());
        });
        return truth;
    }

    private static MiniBatch of(int denseFeatures, Tables tables, List<Sample> samples) {
        return new MiniBatches(rows(samples), samples.size(), denseFeatures, tables).next();
    }

    static Iterator<InternalRow> rows(List<Sample> samples) {
        return samples.stream()
                .map(sample -> row(sample.label(), sample.dense(), sample.categorical()))
                .iterator();
    }

    static InternalRow row(Float label, float[] dense, long[] categorical) {
        return new GenericInternalRow(new Object[] {
            label,
            dense == null ? null : new GenericArrayData(dense),
            categorical == null
                    ? null
                    : new GenericArrayData(Arrays.stream(categorical).boxed().toArray())
        });
    }
}
