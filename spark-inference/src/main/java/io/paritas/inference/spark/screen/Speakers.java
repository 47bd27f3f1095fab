/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import io.paritas.inference.spark.screen.ScreenMessage.Speaker;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The executors that have asked for work, and which GPUs they predict with. Thread-safe. */
final class Speakers {
    private final Map<String, Speaker> all = new ConcurrentHashMap<>();
    /** By executor and model; empty for those that processors predict. */
    private final Map<String, Map<String, String>> gpus = new ConcurrentHashMap<>();

    /** An executor has asked for work. */
    void heard(Speaker speaker) {
        all.put(speaker.executor(), speaker);
    }

    /** An executor speaks of what a model has predicted there. */
    void heard(Speaker speaker, String model) {
        gpus.computeIfAbsent(speaker.executor(), absent -> new ConcurrentHashMap<>())
                .put(model, speaker.gpus());
    }

    /** These executors have left. */
    void forget(Set<String> gone) {
        all.keySet().removeAll(gone);
        gpus.keySet().removeAll(gone);
    }

    /** The executor as it asked last; empty if it never did. */
    Optional<Speaker> of(String executor) {
        return Optional.ofNullable(all.get(executor));
    }

    /** The GPUs that predicted with a model on an executor; if it has not said so, all that it predicts with. */
    String gpus(String executor, String model) {
        return gpus.getOrDefault(executor, Map.of())
                .getOrDefault(model, of(executor).map(Speaker::gpus).orElse(""));
    }
}
