/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import io.paritas.inference.Device;
import io.paritas.inference.data.Examples;
import io.paritas.inference.data.Inputs;
import io.paritas.inference.data.Predictions;
import io.paritas.inference.data.TrainingExamples;
import io.paritas.inference.torch.Network;
import io.paritas.inference.torch.Network.Mode;
import io.paritas.inference.torch.Scope;
import io.paritas.inference.torch.Tensor;
import io.paritas.inference.train.Objective;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Trains one parity model to answer parity queries with its combination of the deployed model's predictions. */
final class ParityObjective implements Objective {
    private static final int SCORE_BATCH = 64;

    private final String description;
    private final ParityPlan plan;
    private final int parity;
    private final Network network;
    private final Examples train;
    private final Examples validation;
    private final QueryEncoder encoder;
    private final PredictionDecoder decoder;
    private final Device device;

    ParityObjective(
            String description,
            ParityPlan plan,
            int parity,
            Network network,
            TrainingExamples examples,
            Device device) {
        this.description = description;
        this.plan = plan;
        this.parity = parity;
        this.network = network;
        this.train = examples.train();
        this.validation = examples.validation();
        this.encoder =
                new QueryEncoder(plan.code(), plan.encoding(), train.inputs().shape());
        this.decoder = new PredictionDecoder(plan.code(), plan.target());
        this.device = device;
        train.requireClasses();
        if (plan.target() == Target.OUTPUTS) {
            train.predictions().requireFinite();
        } else {
            train.requireLabels("the target " + plan.target());
        }
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public List<Network> networks() {
        return List.of(network);
    }

    @Override
    public int[] samples(int epoch) {
        return IntStream.range(0, train.count()).toArray();
    }

    @Override
    public int groupSize() {
        return plan.code().k();
    }

    @Override
    public Tensor loss(int[] samples, int epoch) {
        int groups = samples.length / groupSize();
        int size = train.predictions().size();
        // Networks may answer (groups, size, 1, 1), which would be compared with each row of the target.
        Tensor answers = network.forward(queries(train.inputs().at(epoch), samples), Mode.TRAINING)
                .reshape(groups, size);
        Tensor target = Tensor.of(device, targets(samples), groups, size);
        return plan.target() == Target.DISTRIBUTION ? answers.crossEntropy(target) : answers.meanSquaredError(target);
    }

    /** The parity queries of groups of consecutive samples. */
    private Tensor queries(Inputs inputs, int[] samples) {
        int k = groupSize();
        int groups = samples.length / k;
        float[] values = new float[groups * inputs.size()];
        for (int group = 0; group < groups; group++) {
            List<float[]> members = new ArrayList<>();
            for (int i = 0; i < k; i++) {
                members.add(inputs.rows(samples[group * k + i]));
            }
            encoder.encode(members, parity, values, group * inputs.size());
        }
        return Tensor.of(device, values, Inputs.batchShape(groups, inputs.shape()));
    }

    private float[] targets(int[] samples) {
        int k = groupSize();
        int size = train.predictions().size();
        float[] values = new float[samples.length / k * size];
        double scale = plan.target() == Target.DISTRIBUTION ? 1 / plan.code().total(parity) : 1;
        for (int i = 0; i < samples.length; i++) {
            float weight = (float) (scale * plan.code().weight(parity, i % k, k));
            int offset = i / k * size;
            if (plan.target() == Target.OUTPUTS) {
                float[] prediction = train.predictions().row(samples[i]);
                for (int c = 0; c < size; c++) {
                    values[offset + c] += weight * prediction[c];
                }
            } else {
                values[offset + train.labels().orElseThrow()[samples[i]]] += weight;
            }
        }
        return values;
    }

    @Override
    public int validationSamples() {
        return validation.count();
    }

    /** Degraded accuracy: each member in turn is lost and reconstructed from this parity alone. */
    @Override
    public double score() {
        int k = groupSize();
        int groups = validation.count() / k;
        int right = 0;
        for (int from = 0; from < groups; from += SCORE_BATCH) {
            int count = Math.min(SCORE_BATCH, groups - from);
            float[] answers;
            try (Scope scope = Scope.withoutGradients()) {
                int[] samples = IntStream.range(from * k, (from + count) * k).toArray();
                answers = network.forward(queries(validation.inputs(), samples), Mode.INFERENCE)
                        .values();
            }
            for (int group = 0; group < count; group++) {
                right += rightReconstructions((from + group) * k, answers, group);
            }
        }
        return right / (double) (groups * k);
    }

    private int rightReconstructions(int first, float[] answers, int group) {
        int k = groupSize();
        int size = validation.predictions().size();
        float[][] parities = new float[plan.code().r()][];
        parities[parity] = new float[size];
        System.arraycopy(answers, group * size, parities[parity], 0, size);
        int right = 0;
        for (int lost = 0; lost < k; lost++) {
            float[][] predictions = new float[k][];
            for (int i = 0; i < k; i++) {
                predictions[i] = i == lost ? null : validation.predictions().row(first + i);
            }
            if (decoder.decode(predictions, parities).get(lost)) {
                right += Predictions.label(predictions[lost], 0, size) == validation.expected(first + lost) ? 1 : 0;
            }
        }
        return right;
    }
}
