/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.spark.jobs;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is trained, and how.
 *
 * @param samples generated; a tenth as many others are evaluated on
 * @param rows of the embedding table
 * @param dimension numbers in a row
 * @param servers of parameters
 * @param k rows to a parity
 * @param workers that train at once
 * @param batch samples in a batch
 * @param seed of everything random
 * @param kill whether the executor of a server is killed at half way
 * @param baseline seconds between checkpoints of a training without redundancy, for comparison; 0 for none
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

    /** Reads settings, each {@code name=value}. */
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
