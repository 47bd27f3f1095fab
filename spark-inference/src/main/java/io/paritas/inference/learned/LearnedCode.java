/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.learned;

import io.paritas.PublicApi;
import io.paritas.inference.Bundle;
import io.paritas.inference.BundleKind;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.data.Examples;
import io.paritas.inference.data.Inputs;
import io.paritas.inference.graph.Networks.DecoderLayers;
import io.paritas.inference.learned.CodePlan.ChannelMix;
import io.paritas.inference.learned.CodePlan.EncoderKind;
import io.paritas.inference.learned.CodePlan.Loss;
import io.paritas.inference.parity.DegradedAccuracy;
import io.paritas.inference.parity.PredictionCode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/** The learned code of a deployed model: an encoder and a decoder network. Immutable. */
@PublicApi
public final class LearnedCode implements PredictionCode {
    static final String ENCODER = "encoder";
    static final String DECODER = "decoder";

    private final Bundle bundle;
    private final CodePlan plan;

    private LearnedCode(Bundle bundle, CodePlan plan) {
        this.bundle = bundle;
        this.plan = plan;
    }

    /**
     * Reads a learned code.
     *
     * @param path a descriptor {@code learned.json} or its folder
     * @throws ModelException if files are missing, changed or damaged
     */
    public static LearnedCode read(Path path) {
        return of(Bundle.read(path, BundleKind.LEARNED));
    }

    /**
     * The learned code of a bundle.
     *
     * @throws ModelException if its descriptor is damaged
     */
    public static LearnedCode of(Bundle bundle) {
        try {
            return new LearnedCode(
                    bundle,
                    new CodePlan(
                            bundle.number("k"),
                            bundle.number("r"),
                            EncoderKind.valueOf(bundle.text("encoder").toUpperCase(Locale.ROOT)),
                            Loss.valueOf(bundle.text("loss").toUpperCase(Locale.ROOT)),
                            Boolean.parseBoolean(bundle.text("legacyChannelMix"))
                                    ? ChannelMix.PUBLISHED
                                    : ChannelMix.SEPARATE,
                            DecoderLayers.valueOf(bundle.settings()
                                    .getOrDefault("decoder", "program")
                                    .toUpperCase(Locale.ROOT))));
        } catch (IllegalArgumentException e) {
            throw new ModelException("the learned code's descriptor is damaged: " + e.getMessage(), e);
        }
    }

    static Map<String, String> settings(CodePlan plan) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("k", String.valueOf(plan.k()));
        settings.put("r", String.valueOf(plan.r()));
        settings.put("encoder", plan.encoder().name().toLowerCase(Locale.ROOT));
        settings.put("loss", plan.loss().name().toLowerCase(Locale.ROOT));
        settings.put("legacyChannelMix", String.valueOf(plan.channels() == ChannelMix.PUBLISHED));
        if (plan.decoder() != DecoderLayers.PROGRAM) { // older descriptors and checkpoints do not have it
            settings.put("decoder", plan.decoder().name().toLowerCase(Locale.ROOT));
        }
        return settings;
    }

    /** The plan by which the code was learned. */
    @Override
    public CodePlan plan() {
        return plan;
    }

    /** The networks and their descriptor, to write. */
    @Override
    public Bundle bundle() {
        return bundle;
    }

    /** The deployed model itself answers parity queries. */
    @Override
    public ModelFile answering(int parity, ModelFile deployed) {
        return deployed;
    }

    /** The encoder's network, from k planes to r planes. */
    public ModelFile encoder() {
        return bundle.model(ENCODER);
    }

    /** The decoder's network, from k + r predictions to k. */
    public ModelFile decoder() {
        return bundle.model(DECODER);
    }

    /** This code with other accuracies in its descriptor. */
    public LearnedCode withAccuracy(DegradedAccuracy measured) {
        return new LearnedCode(bundle.withAccuracy(measured.toMap()), plan);
    }

    /** Measures the degraded accuracy; the examples must not be those of the training. */
    public DegradedAccuracy measure(Model deployed, Examples examples, ModelOptions options) {
        int k = plan.k();
        try (Model encoderNetwork = ModelEngines.load(encoder(), options);
                Model decoderNetwork = ModelEngines.load(decoder(), options)) {
            LearnedEncoder encoder =
                    new LearnedEncoder(plan, encoderNetwork, deployed.input().shape());
            List<float[][]> answers = new ArrayList<>();
            int groups = examples.count() / k;
            int atOnce = LearnedEncoder.atOnce(k, examples.inputs().size());
            for (int from = 0; from < groups; from += atOnce) {
                int to = Math.min(groups, from + atOnce);
                answers.addAll(answers(deployed, encoder, examples.inputs(), from, to));
            }
            return DegradedAccuracy.measure(
                    k, plan.r(), examples, new LearnedDecoder(plan, decoderNetwork), answers::get);
        }
    }

    /** Of some groups: what the deployed model answers to their parity queries. */
    private List<float[][]> answers(Model deployed, LearnedEncoder encoder, Inputs inputs, int from, int to) {
        List<float[]> batches = IntStream.range(0, plan.k())
                .mapToObj(member -> inputs.rows(IntStream.range(from, to)
                        .map(group -> group * plan.k() + member)
                        .toArray()))
                .toList();
        List<float[]> answers = encoder.encodeAll(batches, to - from, plan.r()).stream()
                .map(deployed::predict)
                .toList();
        int size = deployed.output().size();
        return IntStream.range(0, to - from)
                .mapToObj(group -> answers.stream()
                        .map(answer -> Arrays.copyOfRange(answer, group * size, (group + 1) * size))
                        .toArray(float[][]::new))
                .toList();
    }
}
