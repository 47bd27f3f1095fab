/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.util.LinkedHashMap;
import java.util.Map;

/** An instance and the batches that it has. Belongs to its {@link Pool}. */
final class InstanceQueue {
    private final Instance instance;
    private final Map<Long, Batch> batches = new LinkedHashMap<>();

    InstanceQueue(Instance instance) {
        this.instance = instance;
    }

    Instance instance() {
        return instance;
    }

    Map<Long, Batch> batches() {
        return batches;
    }

    /** Whether it has unfinished work with this tie, which must not be slowed or lost together with more of it. */
    boolean isTiedTo(Object tie) {
        return batches.values().stream()
                .flatMap(batch -> batch.works().stream())
                .anyMatch(work -> work.tie() == tie && !work.isOver());
    }
}
