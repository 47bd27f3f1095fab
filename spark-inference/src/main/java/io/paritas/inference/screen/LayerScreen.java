/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

import io.paritas.inference.protect.LayerFindings;
import java.util.ArrayList;
import java.util.List;

/** What the checks of protected models have found, until it is taken. Thread-safe. */
public final class LayerScreen {
    private static final int MOST_WAITING = 16;

    private final List<WrongBatch> waiting = new ArrayList<>();
    private long right;

    /**
     * A batch with wrong values.
     *
     * @param model the loaded model, as {@link io.paritas.inference.ModelPool#name} names it
     * @param rows number of rows
     * @param layers names of the layers
     */
    public record WrongBatch(String model, int rows, List<String> layers) {

        /** Copies the list. */
        public WrongBatch {
            layers = List.copyOf(layers);
        }
    }

    /** Counts a batch whose layers were checked, and does nothing for one of which none was. */
    public void checked(String model, int rows, LayerFindings found) {
        if (found.counts().checks() > 0) {
            checked(model, rows, found.layers());
        }
    }

    /**
     * Counts a batch whose layers were checked.
     *
     * @param layers those that were wrong; empty if none was
     */
    public synchronized void checked(String model, int rows, List<String> layers) {
        if (layers.isEmpty()) {
            right++;
        } else if (waiting.size() < MOST_WAITING) {
            waiting.add(new WrongBatch(model, rows, layers));
        }
    }

    /** The batches without wrong values since this was asked last. */
    public synchronized long takeRight() {
        long count = right;
        right = 0;
        return count;
    }

    /** The batches with wrong values since this was asked last, as far as there was room. */
    public synchronized List<WrongBatch> takeWrong() {
        List<WrongBatch> wrong = List.copyOf(waiting);
        waiting.clear();
        return wrong;
    }
}
