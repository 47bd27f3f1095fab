/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.folded;

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
import io.paritas.inference.data.Predictions;
import io.paritas.inference.parity.ResidualDistribution;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** The trained folded network of a deployed model. Immutable. */
@PublicApi
public final class FoldedNetwork {
    /** Its role in its bundle. */
    static final String NETWORK = "folded";

    private static final String TURNS = "turns";
    private static final int CALIBRATED_STACKS = 2_000;

    private final Bundle bundle;
    private final int fold;

    private FoldedNetwork(Bundle bundle, int fold) {
        this.bundle = bundle;
        this.fold = fold;
    }

    /**
     * Reads a folded network.
     *
     * @param path a descriptor {@code folded.json} or its folder
     * @throws ModelException if files are missing, changed or damaged
     */
    public static FoldedNetwork read(Path path) {
        return of(Bundle.read(path, BundleKind.FOLDED));
    }

    static FoldedNetwork of(Bundle bundle) {
        int fold = bundle.number("fold");
        if (fold < 1) {
            throw new ModelException(
                    "the folded network's descriptor is damaged: a fold is at least 1, it says " + fold);
        }
        return new FoldedNetwork(bundle, fold);
    }

    static Map<String, String> settings(FoldOptions options) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("fold", String.valueOf(options.fold()));
        settings.put("multiplier", String.valueOf(options.multiplier()));
        settings.put("rounding", options.rounding().name().toLowerCase(Locale.ROOT));
        return settings;
    }

    /** Images in a stack. */
    public int fold() {
        return fold;
    }

    /** The network and its descriptor, to write. */
    public Bundle bundle() {
        return bundle;
    }

    /** The network, from a stack to the scores of all its images. */
    public ModelFile model() {
        return bundle.model(NETWORK);
    }

    /** This network with other accuracies in its descriptor. */
    public FoldedNetwork withAccuracy(Map<String, Double> accuracy) {
        return new FoldedNetwork(bundle.withAccuracy(accuracy), fold);
    }

    /**
     * Measures the accuracy of the original and of this network, and the share of predictions that stay when the images of a stack
     * change places (thesis, 9.5.2). The examples must not be those of the training.
     */
    public Map<String, Double> measure(Examples examples, ModelOptions options) {
        try (FoldedModel model = load(options)) {
            Predictions predictions = Predictions.of(model, examples.inputs(), fold);
            Predictions turned = Predictions.of(model, new Turned(examples.inputs(), fold), fold);
            int right = 0;
            int staying = 0;
            for (int i = 0; i < examples.count(); i++) {
                right += predictions.label(i) == examples.expected(i) ? 1 : 0;
                staying += turned.label(Turned.place(i, fold, examples.count())) == predictions.label(i) ? 1 : 0;
            }
            Map<String, Double> measured = new LinkedHashMap<>();
            measured.put("original", examples.accuracy());
            measured.put("folded", right / (double) examples.count());
            measured.put("drop", examples.accuracy() - measured.get("folded"));
            measured.put("same-in-another-order", staying / (double) examples.count());
            return measured;
        }
    }

    /** Inputs with each full stack rotated by one place; a last stack that is not full stays. */
    private record Turned(Inputs inputs, int fold) implements Inputs {
        @Override
        public int count() {
            return inputs.count();
        }

        @Override
        public List<Integer> shape() {
            return inputs.shape();
        }

        @Override
        public void copy(int index, float[] into, int offset) {
            boolean full = (index / fold + 1) * fold <= count();
            int original = full ? index / fold * fold + (index % fold + 1) % fold : index;
            inputs.copy(original, into, offset);
        }

        /** The new place of an input. */
        static int place(int original, int fold, int count) {
            boolean full = (original / fold + 1) * fold <= count;
            return full ? original / fold * fold + (original % fold + fold - 1) % fold : original;
        }
    }

    /**
     * Measures on clean data how far answers to an image in two places of a stack are apart.
     *
     * @param examples images; those of the training are closer than others
     * @return this network with that in its descriptor; unchanged if there are too few images
     */
    public FoldedNetwork calibrated(Examples examples, ModelOptions options) {
        if (fold < 2 || examples.count() < fold) {
            return this;
        }
        Random random = new Random(1);
        double[] distances = new double[CALIBRATED_STACKS];
        try (Model stacks = ModelEngines.load(model(), options)) {
            StackCheck check = new StackCheck(stacks, fold);
            for (int i = 0; i < distances.length; i++) {
                float[] stack = examples.inputs()
                        .rows(random.ints(fold, 0, examples.count()).toArray());
                distances[i] = check.turned(stack, stacks.predict(stack));
            }
        }
        double[] finite = Arrays.stream(distances).filter(Double::isFinite).toArray();
        return finite.length < CALIBRATED_STACKS / 2
                ? this
                : new FoldedNetwork(
                        bundle.withSettings(
                                Map.of(TURNS, ResidualDistribution.of(finite).toText())),
                        fold);
    }

    /**
     * The distance of answers to an image in two places, see {@link #calibrated}.
     *
     * @throws ModelException if the descriptor is damaged
     */
    public Optional<ResidualDistribution> turns() {
        try {
            return Optional.ofNullable(bundle.settings().get(TURNS)).map(ResidualDistribution::parse);
        } catch (IllegalArgumentException e) {
            throw new ModelException("the folded network's descriptor is damaged: " + e.getMessage(), e);
        }
    }

    /** Loads the network as a model of single images, which the caller closes. */
    public FoldedModel load(ModelOptions options) {
        return new FoldedModel(ModelEngines.load(model(), options), fold);
    }
}
