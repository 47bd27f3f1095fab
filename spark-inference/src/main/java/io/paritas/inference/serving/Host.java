/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.util.LinkedHashMap;
import java.util.Map;

/** An instance, and what it has to do. Belongs to its {@link Pool}. */
final class Host {
    private final Instance instance;
    private final Map<Long, Batch> batches = new LinkedHashMap<>();

    Host(Instance instance) {
        this.instance = instance;
    }

    Instance instance() {
        return instance;
    }

    Map<Long, Batch> batches() {
        return batches;
    }

    /** Whether it has work that must not be slowed or lost together with such other work. */
    boolean isTiedTo(Object tie) {
        return batches.values().stream()
                .flatMap(batch -> batch.works().stream())
                .anyMatch(work -> work.tie() == tie && !work.isOver());
    }
}
