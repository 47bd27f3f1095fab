/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen.exercise;

import java.io.Serializable;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What came of a processor's exercises.
 *
 * @param processor its number
 * @param pinned whether the thread stayed on it; otherwise the operating system chose
 * @param runs how often each exercise was done, by its name
 * @param wrong how many results were wrong
 * @param first the first of them, at most {@value #MOST}
 */
public record ProcessorResult(
        int processor, boolean pinned, Map<String, Long> runs, long wrong, List<WrongResult> first)
        implements Serializable {
    private static final long serialVersionUID = 1;

    static final int MOST = 1_000;

    /** Copies the collections. */
    public ProcessorResult {
        runs = Collections.unmodifiableMap(new LinkedHashMap<>(runs));
        first = List.copyOf(first);
    }
}
