/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark.jobs;

import io.paritas.inference.recommend.data.FeatureColumns;
import io.paritas.inference.recommend.data.FeatureColumns.Scale;
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
 * @param model the model, its servers and its workers
 * @param checkpoints its checkpoints
 * @param output folder for the model; one in the driver's folder without it
 * @param kill whether to kill the executor of a server halfway
 * @param baseline seconds between checkpoints of a second training without redundancy; 0 for none
 */
record RecommendationSettings(
        Clicks clicks, Model model, Checkpoints checkpoints, Optional<String> output, boolean kill, int baseline) {
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
        DEFAULTS.put("dimension", "16");
        DEFAULTS.put("servers", "3");
        DEFAULTS.put("k", "2");
        DEFAULTS.put("parities", "1");
        DEFAULTS.put("workers", "1");
        DEFAULTS.put("batch", "128");
        DEFAULTS.put("epochs", "1");
        DEFAULTS.put("patience", "0");
        DEFAULTS.put("optimizer", "adagrad");
        DEFAULTS.put("rate", "0.05");
        DEFAULTS.put("networkRate", "0.01");
        DEFAULTS.put("seed", "1");
        DEFAULTS.put("checkpoints", "");
        DEFAULTS.put("every", "600");
        DEFAULTS.put("resume", "false");
        DEFAULTS.put("output", "");
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

    /**
     * The model and how it is trained.
     *
     * @param dimension values in a row
     * @param servers parameter servers
     * @param work the workers' share
     * @param optimizer of rows and networks
     * @param seed of everything random
     */
    record Model(int dimension, Servers servers, Work work, Optimizers optimizer, long seed) {}

    /**
     * @param k rows of a stripe
     * @param parities of a stripe, 1 or 2
     */
    record Servers(int count, int k, int parities) {}

    /**
     * @param workers tasks that train at once
     * @param batch samples in a batch
     * @param patience epochs without a better AUC that end the training; 0 for never
     */
    record Work(int workers, int batch, int epochs, int patience) {}

    /**
     * @param name of the optimizer
     * @param rate learning rate of the rows
     * @param networkRate learning rate of the networks
     */
    record Optimizers(String name, float rate, float networkRate) {}

    /**
     * @param folder for checkpoints; none are written without it
     * @param every seconds between them
     * @param resume whether to go on from the newest one
     */
    record Checkpoints(Optional<String> folder, int every, boolean resume) {}

    /** Parses settings, each {@code name=value}. */
    static RecommendationSettings parse(List<String> arguments) {
        Map<String, String> all = new LinkedHashMap<>(DEFAULTS);
        for (String argument : arguments) {
            String[] parts = argument.split("=", 2);
            if (parts.length != 2 || !DEFAULTS.containsKey(parts[0]) || !parts[1].matches(pattern(parts[0]))) {
                throw new IllegalArgumentException("settings are " + USAGE + ", got " + argument);
            }
            all.put(parts[0], parts[1]);
        }
        return of(new Values(all));
    }

    private static String pattern(String name) {
        if (WORDS.contains(name)) {
            return ".*";
        }
        if (SWITCHES.contains(name)) {
            return "true|false";
        }
        if (FRACTIONS.contains(name)) {
            return "\\d{1,9}(\\.\\d{1,9})?";
        }
        if (name.equals("seed")) {
            return "-?\\d{1,18}";
        }
        return LONGS.contains(name) ? "\\d{1,18}" : "\\d{1,9}";
    }

    private static RecommendationSettings of(Values all) {
        return new RecommendationSettings(
                new Clicks(
                        all.present("data"),
                        columns(all),
                        all.number("vocabulary"),
                        Double.parseDouble(all.text("heldOut")),
                        all.big("samples"),
                        all.big("rows")),
                new Model(
                        all.number("dimension"),
                        new Servers(all.number("servers"), all.number("k"), all.number("parities")),
                        new Work(
                                all.number("workers"),
                                all.number("batch"),
                                all.number("epochs"),
                                all.number("patience")),
                        new Optimizers(
                                all.text("optimizer"),
                                Float.parseFloat(all.text("rate")),
                                Float.parseFloat(all.text("networkRate"))),
                        all.big("seed")),
                new Checkpoints(all.present("checkpoints"), all.number("every"), all.isOn("resume")),
                all.present("output"),
                all.isOn("kill"),
                all.number("baseline"));
    }

    /** Criteo's columns, unless others are named. */
    private static FeatureColumns columns(Values all) {
        if (all.present("dense").isEmpty() && all.present("categorical").isEmpty()) {
            return FeatureColumns.criteo();
        }
        return new FeatureColumns(
                all.text("label"),
                all.list("dense"),
                all.list("categorical"),
                Scale.valueOf(all.text("scale").toUpperCase(Locale.ROOT)));
    }

    /** Settings as texts, by name. */
    private record Values(Map<String, String> texts) {
        String text(String name) {
            return texts.get(name);
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
