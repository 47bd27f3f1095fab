/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.Outcome;
import io.paritas.inference.parity.Residual;
import io.paritas.inference.screen.RecentBatches;
import io.paritas.inference.screen.Suspect;
import io.paritas.inference.spark.driver.Layout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Compares the predictions of a stripe with the parities that were computed while some of them were out. Which prediction is wrong,
 * if one is, a residual does not tell. Nothing is changed.
 */
final class StripeCheck {
    private final CodingSpec coding;
    private final Layout layout;
    private final PredictionStore store;
    private final Residual residual;
    private final Map<Integer, Optional<Map<Long, Answers>>> data = new HashMap<>();
    private final List<Suspect> suspects = new ArrayList<>();
    private long groups;
    private long batches;

    StripeCheck(CodingSpec coding, PredictionStore store) {
        this.coding = coding;
        this.layout = coding.layout();
        this.store = store;
        this.residual = coding.plan().residual().orElseThrow();
    }

    /** Compares all groups of the stripe whose predictions and parity are kept, and tells what came of it. */
    void run(int stripe, RecentBatches recent) {
        int first = stripe * layout.n();
        for (int parity = 0; parity < layout.r(); parity++) {
            for (int place = 0; place < layout.n(); place++) {
                int rotation = Math.floorMod(place - layout.k() - parity, layout.n());
                int number = parity;
                store.get(store.parity(first + place, parity))
                        .ifPresent(block ->
                                block.forEach((group, answers) -> check(first, number, rotation, group, answers)));
            }
        }
        recent.compared(groups, batches, suspects);
    }

    private void check(int first, int parity, int rotation, long group, Answers answers) {
        List<Integer> misfits = new ArrayList<>();
        for (GroupShape.Band band : answers.shape().bands()) {
            Answers[] members = new Answers[band.members().length];
            for (int i = 0; i < members.length; i++) {
                int place = (band.members()[i] + rotation) % layout.n();
                members[i] = data.computeIfAbsent(place, absent -> store.get(store.computed(first + absent)))
                        .map(block -> block.get(group))
                        .orElse(null);
                if (members[i] == null) {
                    return;
                }
            }
            for (int row = band.from(); row < band.to(); row++) {
                if (isMisfit(parity, members, answers, row)) {
                    misfits.add(row);
                }
            }
        }
        batches += 1 + answers.shape().members(0).length;
        if (!misfits.isEmpty()) {
            suspects.add(new Suspect(store.id(), group, misfits));
        }
    }

    private boolean isMisfit(int parity, Answers[] members, Answers answers, int row) {
        if (answers.outcome(row) == Outcome.UNAVAILABLE) {
            return false;
        }
        float[][] predictions = new float[members.length][];
        double largest = 0;
        for (int i = 0; i < members.length; i++) {
            if (members[i].outcome(row) != Outcome.PREDICTED) {
                return false;
            }
            predictions[i] = members[i].prediction(row);
            largest = Math.max(largest, members[i].largestInput());
        }
        if (isNothing(answers.prediction(row))) {
            return false;
        }
        double bound = coding.bound().of(parity, members.length, largest);
        groups += bound < Double.POSITIVE_INFINITY ? 1 : 0;
        return residual.of(parity, predictions, answers.prediction(row)) > bound;
    }

    /** The answer to a parity query of rows beyond the range of the code: all NaN, as the query is. */
    private static boolean isNothing(float... answer) {
        for (float value : answer) {
            if (!Float.isNaN(value)) {
                return false;
            }
        }
        return true;
    }
}
