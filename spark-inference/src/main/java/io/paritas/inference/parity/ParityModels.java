/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

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
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The parity models of a deployed model, with their encoder and decoder. Immutable. */
@PublicApi
public final class ParityModels implements PredictionCode {
    /** The setting of models whose reconstructions differ by rounding only. */
    static final String EXACT = "exact";

    private static final String RESIDUALS = "residuals-";

    private final Bundle bundle;
    private final ParityPlan plan;

    private ParityModels(Bundle bundle, ParityPlan plan) {
        this.bundle = bundle;
        this.plan = plan;
    }

    /**
     * Reads parity models.
     *
     * @param path a descriptor {@code parity.json} or its folder
     * @throws ModelException if files are missing, changed or damaged
     */
    public static ParityModels read(Path path) {
        return of(Bundle.read(path, BundleKind.PARITY));
    }

    /**
     * The parity models of a bundle.
     *
     * @throws ModelException if its descriptor is damaged
     */
    public static ParityModels of(Bundle bundle) {
        try {
            ParityPlan plan = new ParityPlan(
                    new Combinations(bundle.number("k"), bundle.number("r")),
                    constant(Encoding.class, bundle.text("encoder")),
                    constant(Target.class, bundle.text("target")));
            plan.require(bundle.input().shape());
            return new ParityModels(bundle, plan);
        } catch (IllegalArgumentException e) {
            throw new ModelException("the parity models' descriptor is damaged: " + e.getMessage(), e);
        }
    }

    /** Whether reconstructions differ from predictions by rounding only, as those of {@link LinearCode}. */
    @Override
    public boolean exact() {
        return Boolean.parseBoolean(bundle.settings().get(EXACT));
    }

    static Map<String, String> settings(ParityPlan plan, InputRange range) {
        Map<String, String> settings = settings(plan);
        settings.putAll(range.settings());
        return settings;
    }

    static Map<String, String> settings(ParityPlan plan) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("k", String.valueOf(plan.code().k()));
        settings.put("r", String.valueOf(plan.code().r()));
        settings.put("encoder", lower(plan.encoding()));
        settings.put("decoder", "subtraction");
        settings.put("target", lower(plan.target()));
        return settings;
    }

    static String role(int parity) {
        return "parity-" + parity;
    }

    /** Code, encoder and target. */
    @Override
    public ParityPlan plan() {
        return plan;
    }

    /** The models and their descriptor, to write. */
    @Override
    public Bundle bundle() {
        return bundle;
    }

    /** A parity model, 0 to r − 1. */
    public ModelFile model(int parity) {
        return bundle.model(role(parity));
    }

    /** A parity model answers, whatever is deployed. */
    @Override
    public ModelFile answering(int parity, ModelFile deployed) {
        return model(parity);
    }

    /** An encoder for the deployed model's queries. */
    public QueryEncoder encoder() {
        return new QueryEncoder(plan.code(), plan.encoding(), bundle.input().shape());
    }

    /** A decoder for the deployed model's predictions. */
    public PredictionDecoder decoder() {
        return new PredictionDecoder(plan.code(), plan.target());
    }

    /** These models with other accuracies in the descriptor. */
    public ParityModels withAccuracy(DegradedAccuracy measured) {
        return new ParityModels(bundle.withAccuracy(measured.toMap()), plan);
    }

    /** These models with the residuals of each in the descriptor. */
    public ParityModels withResiduals(List<ResidualDistribution> measured) {
        Map<String, String> settings = new LinkedHashMap<>();
        for (int parity = 0; parity < measured.size(); parity++) {
            settings.put(RESIDUALS + parity, measured.get(parity).toText());
        }
        return new ParityModels(bundle.withSettings(settings), plan);
    }

    /**
     * Above which residual a group is suspect: exact for {@link LinearCode}, otherwise from the residuals in the descriptor.
     *
     * @param rate of false alarms among clean groups, above 0 and at most a half
     * @return {@link ResidualBound#NONE} if the descriptor has none
     * @throws ModelException if they are damaged
     */
    @Override
    public ResidualBound residualBound(double rate) {
        Map<String, String> settings = bundle.settings();
        try {
            if (exact()) {
                return new ResidualBound.Linear(plan.code(), LinearCode.of(model(0), plan.code()));
            }
            if (!settings.containsKey(RESIDUALS + 0)) {
                return ResidualBound.NONE;
            }
            List<Double> thresholds = new ArrayList<>();
            for (int parity = 0; parity < plan.code().r(); parity++) {
                thresholds.add(ResidualDistribution.parse(bundle.text(RESIDUALS + parity))
                        .threshold(rate));
            }
            return new ResidualBound.Calibrated(plan.code().k(), thresholds);
        } catch (IllegalArgumentException e) {
            throw new ModelException("the parity models' descriptor is damaged: " + e.getMessage(), e);
        }
    }

    /** Measures the degraded accuracy; the examples must not be those of the training. */
    public DegradedAccuracy measure(Examples examples, ModelOptions options) {
        int k = plan.code().k();
        QueryEncoder encoder = encoder();
        ModelOptions shaped = options.withInputShape(bundle.input().shape());
        List<Predictions> answers = new ArrayList<>();
        for (int parity = 0; parity < plan.code().r(); parity++) {
            try (Model model = ModelEngines.load(model(parity), shaped)) {
                answers.add(Predictions.of(model, new ParityQueries(examples.inputs(), encoder, k, parity)));
            }
        }
        return DegradedAccuracy.measure(k, plan.code().r(), examples, decoder(), group -> answers.stream()
                .map(answer -> answer.row(group))
                .toArray(float[][]::new));
    }

    /** The parity queries of consecutive full groups. */
    private record ParityQueries(Inputs inputs, QueryEncoder encoder, int k, int parity) implements Inputs {
        @Override
        public int count() {
            return inputs.count() / k;
        }

        @Override
        public List<Integer> shape() {
            return inputs.shape();
        }

        @Override
        public void copy(int index, float[] into, int offset) {
            List<float[]> members = new ArrayList<>();
            for (int i = 0; i < k; i++) {
                members.add(inputs.rows(index * k + i));
            }
            encoder.encode(members, parity, into, offset);
        }
    }

    private static <E extends Enum<E>> E constant(Class<E> type, String name) {
        for (E value : type.getEnumConstants()) {
            if (lower(value).equals(name)) {
                return value;
            }
        }
        throw new IllegalArgumentException("'" + name + "' is not one of "
                + Arrays.stream(type.getEnumConstants())
                        .map(ParityModels::lower)
                        .toList());
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
