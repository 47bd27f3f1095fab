/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark.jobs;

import io.paritas.inference.recommend.data.FeatureColumns;
import io.paritas.inference.recommend.data.FeatureColumns.Scale;
import io.paritas.inference.recommend.data.Tables;
import io.paritas.inference.recommend.model.DlrmShape;
import io.paritas.inference.recommend.model.Interaction;
import io.paritas.inference.recommend.train.CheckpointPolicy;
import io.paritas.inference.recommend.train.RecommendationTrainer;
import io.paritas.inference.recommend.train.TrainingDefaults;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The settings of a training.
 *
 * @param clicks what it is trained on
 * @param all what is given
 */
record RecommendationSettings(Clicks clicks, Values all) {
    /** Numbers, but for {@link #WORDS} and {@link #FRACTIONS}. */
    private static final Map<String, String> DEFAULTS = new LinkedHashMap<>();

    private static final List<String> WORDS =
            List.of("data", "label", "dense", "categorical", "scale", "optimizer", "checkpoints", "output");
    private static final List<String> FRACTIONS = List.of("heldOut", "rate", "networkRate");
    private static final List<String> SWITCHES = List.of("kill", "resume");
    private static final List<String> LONGS = List.of("samples", "rows");

    static {
        DEFAULTS.put("data", "");
        DEFAULTS.put("label", "label");
        DEFAULTS.put("dense", "");
        DEFAULTS.put("categorical", "");
        DEFAULTS.put("scale", "none");
        DEFAULTS.put("vocabulary", "0");
        DEFAULTS.put("heldOut", "0.1");
        DEFAULTS.put("samples", "100000");
        DEFAULTS.put("rows", "100000");
        DEFAULTS.put("dimension", Integer.toString(TrainingDefaults.DIMENSION));
        DEFAULTS.put("servers", Integer.toString(TrainingDefaults.SERVERS));
        DEFAULTS.put("k", Integer.toString(TrainingDefaults.K));
        DEFAULTS.put("r", Integer.toString(TrainingDefaults.R));
        DEFAULTS.put("workers", "1");
        DEFAULTS.put("batch", Integer.toString(TrainingDefaults.BATCH));
        DEFAULTS.put("epochs", "1");
        DEFAULTS.put("patience", "0");
        DEFAULTS.put("optimizer", TrainingDefaults.OPTIMIZER);
        DEFAULTS.put("rate", Double.toString(TrainingDefaults.ROW_RATE));
        DEFAULTS.put("networkRate", Double.toString(TrainingDefaults.NETWORK_RATE));
        DEFAULTS.put("seed", "1");
        DEFAULTS.put("checkpoints", "");
        DEFAULTS.put("every", Integer.toString(TrainingDefaults.CHECKPOINT_SECONDS));
        DEFAULTS.put("resume", "false");
        DEFAULTS.put("output", "");
        DEFAULTS.put("progress", "10");
        DEFAULTS.put("kill", "false");
        DEFAULTS.put("baseline", "0");
    }

    static final String USAGE = "[NAME=VALUE]..., of which by default "
            + String.join(
                    " ",
                    DEFAULTS.entrySet().stream()
                            .map(entry -> entry.getKey() + "=" + entry.getValue())
                            .toList());

    /**
     * Samples.
     *
     * @param data path of Parquet or text files; without it, clicks are generated
     * @param columns of the files
     * @param vocabulary most categories of a column with rows of their own; 0 for hashes
     * @param heldOut share of the files' samples that the model is evaluated with
     * @param samples that are generated for training; a tenth as many are for evaluation
     * @param rows of the generated samples' one embedding table, or of each column's table
     */
    record Clicks(
            Optional<String> data, FeatureColumns columns, int vocabulary, double heldOut, long samples, long rows) {}

    /** Parses settings, each {@code name=value}. */
    static RecommendationSettings parse(List<String> arguments) {
        Map<String, String> given = new LinkedHashMap<>();
        for (String argument : arguments) {
            String[] parts = argument.split("=", 2);
            require(parts.length == 2, "settings are " + USAGE + ", got " + argument);
            require(
                    DEFAULTS.containsKey(parts[0]),
                    "there is no setting '" + parts[0] + "': settings are " + USAGE + ", got " + argument);
            Form form = form(parts[0]);
            require(parts[1].matches(form.pattern), parts[0] + " must be " + form.words + ", got '" + parts[1] + "'");
            given.put(parts[0], parts[1]);
        }
        Values all = new Values(given);
        check(all);
        return of(all);
    }

    /** What fits the patterns and no training. Its files take long to read, so it is not for the trainer to refuse. */
    private static void check(Values all) {
        double heldOut = all.fraction("heldOut");
        require(heldOut < 1, "heldOut must be at least 0 and below 1, got " + heldOut);
        require(
                all.number("patience") == 0
                        || heldOut > 0
                        || all.present("data").isEmpty(),
                "patience needs samples to evaluate the model with, got patience=" + all.text("patience")
                        + " and heldOut=" + all.text("heldOut") + ": set heldOut, or no patience");
        require(all.number("every") >= 1, "every must be at least 1 second, got " + all.text("every"));
        require(all.number("progress") >= 1, "progress must be at least 1 second, got " + all.text("progress"));
        require(
                !all.isOn("resume") || all.present("checkpoints").isPresent(),
                "resume=true goes on from a checkpoint in the folder checkpoints, which is missing: set it");
        require(
                all.hasColumns() || (!all.isGiven("label") && !all.isGiven("scale")),
                "label and scale are those of dense and categorical, which are missing, and Criteo's columns have both: set"
                        + " dense and categorical");
        require(
                Arrays.stream(Scale.values()).anyMatch(scale -> scale.name().equalsIgnoreCase(all.text("scale"))),
                "scale must be none or log, got " + all.text("scale"));
    }

    private static void require(boolean rule, String message) {
        if (!rule) {
            throw new IllegalArgumentException(message);
        }
    }

    /** What a value looks like. */
    private enum Form {
        TEXT(".*", "a text"),
        SWITCH("true|false", "true or false"),
        FRACTION(
                "\\d{1,9}(\\.\\d{1,9})?",
                "a decimal number that is not negative, with at most 9 digits on each side of the point, such as 0.05"),
        SEED("-?\\d{1,18}", "a whole number of at most 18 digits"),
        LONG("\\d{1,18}", "a whole number of at most 18 digits that is not negative"),
        INT("\\d{1,9}", "a whole number of at most 9 digits that is not negative");

        private final String pattern;
        private final String words;

        Form(String pattern, String words) {
            this.pattern = pattern;
            this.words = words;
        }
    }

    private static Form form(String name) {
        if (WORDS.contains(name)) {
            return Form.TEXT;
        }
        if (SWITCHES.contains(name)) {
            return Form.SWITCH;
        }
        if (FRACTIONS.contains(name)) {
            return Form.FRACTION;
        }
        if (name.equals("seed")) {
            return Form.SEED;
        }
        return LONGS.contains(name) ? Form.LONG : Form.INT;
    }

    private static RecommendationSettings of(Values all) {
        Clicks clicks = new Clicks(
                all.present("data"),
                columns(all),
                all.number("vocabulary"),
                all.fraction("heldOut"),
                all.big("samples"),
                all.big("rows"));
        return new RecommendationSettings(clicks, all);
    }

    /** A trainer of models with these tables, without checkpoints. */
    RecommendationTrainer trainer(int denseFeatures, Tables tables) {
        int dimension = all.number("dimension");
        DlrmShape shape = new DlrmShape(
                denseFeatures, List.of(64, dimension), tables, dimension, Interaction.CONCATENATION, List.of(64, 32));
        RecommendationTrainer trainer = RecommendationTrainer.of(shape)
                .servers(all.number("servers"))
                .redundancy(Redundancy.coded(all.number("k"), all.number("r")))
                .rowOptimizer(optimizer("rate"))
                .networkOptimizer(optimizer("networkRate"))
                .workers(workers())
                .batch(all.number("batch"))
                .epochs(epochs())
                .seed(seed());
        int patience = all.number("patience");
        return patience > 0 ? trainer.stopEarly(patience) : trainer;
    }

    private Optimizer optimizer(String rate) {
        return Optimizer.of(all.text("optimizer"), (float) all.fraction(rate));
    }

    /** Has a trainer write checkpoints if they have a folder, and go on from the newest one if it is to. */
    RecommendationTrainer withCheckpoints(RecommendationTrainer trainer) {
        all.present("checkpoints").ifPresent(folder -> {
            trainer.checkpoints(CheckpointPolicy.every(folder, Duration.ofSeconds(all.number("every"))));
            if (all.isOn("resume")) {
                trainer.resume(folder);
            }
        });
        return trainer;
    }

    /** Tasks that train at once. */
    int workers() {
        return all.number("workers");
    }

    /** Passes over the samples. */
    int epochs() {
        return all.number("epochs");
    }

    /** The seed of everything random. */
    long seed() {
        return all.big("seed");
    }

    /** A folder for the model; one in the driver's folder without it. */
    Optional<String> output() {
        return all.present("output");
    }

    /** Seconds between lines of progress. */
    int progress() {
        return all.number("progress");
    }

    /** Whether to kill the executor of a server halfway. */
    boolean kill() {
        return all.isOn("kill");
    }

    /** Seconds between checkpoints of a second training without redundancy; 0 for none. */
    int baseline() {
        return all.number("baseline");
    }

    /** Criteo's columns, unless others are named. */
    private static FeatureColumns columns(Values all) {
        if (!all.hasColumns()) {
            return FeatureColumns.criteo();
        }
        return new FeatureColumns(
                all.text("label"),
                all.list("dense"),
                all.list("categorical"),
                Scale.valueOf(all.text("scale").toUpperCase(Locale.ROOT)));
    }

    /** Settings that are given, as texts by name; others are as usual. */
    record Values(Map<String, String> given) {
        boolean isGiven(String name) {
            return given.containsKey(name);
        }

        boolean hasColumns() {
            return present("dense").isPresent() || present("categorical").isPresent();
        }

        String text(String name) {
            return given.getOrDefault(name, DEFAULTS.get(name));
        }

        double fraction(String name) {
            return Double.parseDouble(text(name));
        }

        int number(String name) {
            return Integer.parseInt(text(name));
        }

        long big(String name) {
            return Long.parseLong(text(name));
        }

        boolean isOn(String name) {
            return Boolean.parseBoolean(text(name));
        }

        Optional<String> present(String name) {
            return Optional.of(text(name)).filter(value -> !value.isEmpty());
        }

        List<String> list(String name) {
            return Arrays.stream(text(name).split(","))
                    .filter(value -> !value.isEmpty())
                    .toList();
        }
    }
}
