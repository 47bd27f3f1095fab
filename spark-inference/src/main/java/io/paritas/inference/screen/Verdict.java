/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

import java.util.Map;
import java.util.Set;

/**
 * What came of predicting a batch several times.
 *
 * @param model the model, as {@link Sample#model} names it
 * @param reason why it was audited
 * @param right executors that were always right
 * @param wrong executors that were wrong, and how; empty if nobody was
 */
public record Verdict(String model, Reason reason, Set<String> right, Map<String, Difference> wrong) {

    /** Copies the collections. */
    public Verdict {
        right = Set.copyOf(right);
        wrong = Map.copyOf(wrong);
    }

    /** SHA-256 of the model. */
    public String sha256() {
        return model.substring(0, Math.max(model.indexOf(' '), 0));
    }
}
