/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark.jobs;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The settings of a training.
 *
 * @param samples generated for training; a tenth as many are for evaluation
 * @param rows number of rows of the embedding table
 * @param dimension values in a row
 * @param servers number of parameter servers
 * @param k rows for each parity
 * @param workers tasks that train at once
 * @param batch samples in a batch
 * @param seed of everything random
 * @param kill whether to kill the executor of a server halfway
 * @param baseline seconds between checkpoints of a second training without redundancy; 0 for none
 */
record RecommendationSettings(
        long samples,
        long rows,
        int dimension,
        int servers,
        int k,
        int workers,
        int batch,
        long seed,
        boolean kill,
        int baseline) {
    private static final Map<String, String> DEFAULTS = new LinkedHashMap<>();

    static {
        DEFAULTS.put("samples", "100000");
        DEFAULTS.put("rows", "100000");
        DEFAULTS.put("dimension", "16");
        DEFAULTS.put("servers", "3");
        DEFAULTS.put("k", "2");
        DEFAULTS.put("workers", "1");
        DEFAULTS.put("batch", "128");
        DEFAULTS.put("seed", "1");
        DEFAULTS.put("kill", "false");
        DEFAULTS.put("baseline", "0");
    }

    static final String USAGE = "[NAME=VALUE]..., of which by default "
            + String.join(
                    " ",
                    DEFAULTS.entrySet().stream()
                            .map(entry -> entry.getKey() + "=" + entry.getValue())
                            .toList());

    /** Parses settings, each {@code name=value}. */
    static RecommendationSettings parse(List<String> arguments) {
        Map<String, String> all = new LinkedHashMap<>(DEFAULTS);
        for (String argument : arguments) {
            String[] parts = argument.split("=", 2);
            boolean known = parts.length == 2 && DEFAULTS.containsKey(parts[0]);
            if (!known || !parts[1].matches(parts[0].equals("kill") ? "true|false" : "\\d{1,9}")) {
                throw new IllegalArgumentException("settings are " + USAGE + ", got " + argument);
            }
            all.put(parts[0], parts[1]);
        }
        return new RecommendationSettings(
                Long.parseLong(all.get("samples")),
                Long.parseLong(all.get("rows")),
                Integer.parseInt(all.get("dimension")),
                Integer.parseInt(all.get("servers")),
                Integer.parseInt(all.get("k")),
                Integer.parseInt(all.get("workers")),
                Integer.parseInt(all.get("batch")),
                Long.parseLong(all.get("seed")),
                Boolean.parseBoolean(all.get("kill")),
                Integer.parseInt(all.get("baseline")));
    }
}
