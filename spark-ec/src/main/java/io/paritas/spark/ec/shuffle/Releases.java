/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Which executors that have files may go: idle ones, as many at a time as the code survives. Knows no Spark. For one thread. */
final class Releases {
    private final int survived;
    private final Set<String> released = new HashSet<>();

    /** @param survived how many executors may be lost at once */
    Releases(int survived) {
        this.survived = survived;
    }

    /**
     * Forgets those that have gone, and takes back those that have got work: it may last, and others may go in their place.
     *
     * @param executors ids of all
     * @return those that are taken back
     */
    Set<String> takeBack(Set<String> executors, Predicate<String> isBusy) {
        released.retainAll(executors);
        Set<String> working = released.stream().filter(isBusy).collect(Collectors.toSet());
        released.removeAll(working);
        return working;
    }

    /**
     * Whether an executor may go.
     *
     * @param holders how many executors have files
     */
    boolean mayGo(String holder, int holders, Predicate<String> isBusy) {
        boolean spared = released.size() < survived && holders - released.size() > survived + 1;
        if (spared && !isBusy.test(holder)) {
            released.add(holder);
        }
        return released.contains(holder);
    }
}
