/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How large the predictions of each model are that executors have agreed on lately: of its last thousand batches at least, and two
 * thousand at most. What a single executor says does not count. Of many models, those are known that were asked for last. Guarded by
 * the jury.
 */
final class Magnitudes {
    private static final int WINDOW = 1000;
    private static final int MOST_MODELS = 256;

    private final Map<String, Recent> models = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Recent> eldest) {
            return size() > MOST_MODELS;
        }
    };

    /** What is known of a model. */
    Magnitude of(String model) {
        Recent recent = models.get(model);
        return recent == null ? Magnitude.NONE : recent.before.plus(recent.now);
    }

    /** Takes the predictions of a batch that executors agree on. */
    void add(String model, int rows, float[] outputs) {
        models.computeIfAbsent(model, first -> new Recent()).add(Magnitude.of(rows, outputs));
    }

    /** The thousand batches that are being counted, and those before. */
    private static final class Recent {
        private Magnitude before = Magnitude.NONE;
        private Magnitude now = Magnitude.NONE;
        private int batches;

        private void add(Magnitude batch) {
            if (batches == WINDOW) {
                before = now;
                now = Magnitude.NONE;
                batches = 0;
            }
            now = now.plus(batch);
            batches++;
        }
    }
}
