/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import io.paritas.PublicApi;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.data.Examples;
import io.paritas.inference.data.Inputs;
import io.paritas.inference.data.Predictions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Measures the residuals of parity models on clean data, of which they say what is not suspect. Thread-safe. */
@PublicApi
public final class ResidualCalibration {
    /** Groups to measure, about; examples make more than one group if there are fewer of them. */
    private static final int GROUPS = 20_000;

    private static final int MOST_PASSES = 32;

    private ResidualCalibration() {}

    /**
     * Measures residuals in groups of examples that are drawn with a seed.
     *
     * @param models the parity models
     * @param examples inputs with the deployed model's predictions; those of the training have smaller residuals than others
     * @param options how to run the parity models
     * @return the models with the residuals in their descriptor; unchanged if they are exact, or if there are too few examples
     */
    public static ParityModels calibrate(ParityModels models, Examples examples, ModelOptions options) {
        if (models.exact()) {
            return models;
        }
        List<int[]> groups = groups(examples.count(), models.plan().code().k());
        ModelOptions shaped = options.withInputShape(models.bundle().input().shape());
        List<ResidualDistribution> measured = new ArrayList<>();
        for (int parity = 0; parity < models.plan().code().r(); parity++) {
            double[] residuals = residuals(models, parity, examples, groups, shaped);
            if (residuals.length < ResidualDistribution.LEAST) {
                return models;
            }
            measured.add(ResidualDistribution.of(residuals));
        }
        return models.withResiduals(measured);
    }

    private static double[] residuals(
            ParityModels models, int parity, Examples examples, List<int[]> groups, ModelOptions options) {
        Residual residual = new Residual(models.plan().code(), models.plan().target());
        Queries queries = new Queries(examples.inputs(), models.encoder(), parity, groups);
        try (Model model = ModelEngines.load(models.model(parity), options)) {
            Predictions answers = Predictions.of(model, queries);
            return IntStream.range(0, groups.size())
                    .mapToDouble(group -> residual.of(
                            parity,
                            IntStream.of(groups.get(group))
                                    .mapToObj(examples.predictions()::row)
                                    .toArray(float[][]::new),
                            answers.row(group)))
                    .filter(Double::isFinite)
                    .toArray();
        }
    }

    private static List<int[]> groups(int examples, int k) {
        List<Integer> order = IntStream.range(0, examples).boxed().collect(Collectors.toCollection(ArrayList::new));
        int each = examples / k;
        int passes = each == 0 ? 0 : Math.min(MOST_PASSES, (GROUPS + each - 1) / each);
        Random random = new Random(1);
        List<int[]> groups = new ArrayList<>();
        for (int pass = 0; pass < passes; pass++) {
            Collections.shuffle(order, random);
            for (int group = 0; group < each && groups.size() < GROUPS; group++) {
                groups.add(order.subList(group * k, (group + 1) * k).stream()
                        .mapToInt(Integer::intValue)
                        .toArray());
            }
        }
        return groups;
    }

    /** The parity queries of groups. */
    private record Queries(Inputs inputs, QueryEncoder encoder, int parity, List<int[]> groups) implements Inputs {
        @Override
        public int count() {
            return groups.size();
        }

        @Override
        public List<Integer> shape() {
            return inputs.shape();
        }

        @Override
        public void copy(int index, float[] into, int offset) {
            List<float[]> members = IntStream.of(groups.get(index))
                    .mapToObj(example -> inputs.rows(example))
                    .toList();
            encoder.encode(members, parity, into, offset);
        }
    }
}
