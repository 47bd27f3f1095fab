/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** Completion times of one setup with one kind of straggler, in seconds. */
record Timed(Setup setup, Straggler.Kind straggler, List<Double> seconds, long reconstructed, long rows) {

    double median() {
        List<Double> sorted = sorted();
        return sorted.get(sorted.size() / 2);
    }

    double worst() {
        return Collections.max(seconds);
    }

    private List<Double> sorted() {
        List<Double> sorted = new ArrayList<>(seconds);
        Collections.sort(sorted);
        return sorted;
    }

    /** A line of a table; the times in relation to another's median. */
    String line(double reference) {
        return String.format(
                Locale.ROOT,
                "| %s | %s | %d | %.2f | %.2f | %.2f | %.1f |",
                setup.name(),
                straggler.text,
                seconds.size(),
                median(),
                worst(),
                median() / reference,
                100.0 * reconstructed / rows);
    }
}
