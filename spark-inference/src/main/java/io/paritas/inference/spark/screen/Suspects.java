/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import io.paritas.inference.screen.Suspect;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The last groups that did not fit together, for each executor to see once. Thread-safe. */
final class Suspects {
    private static final int MOST = 256;

    private final Deque<Suspect> last = new ArrayDeque<>();
    private final Map<String, Long> seen = new HashMap<>();
    private long count;

    synchronized void add(List<Suspect> more) {
        for (Suspect suspect : more) {
            last.addLast(suspect);
            count++;
            if (last.size() > MOST) {
                last.removeFirst();
            }
        }
    }

    /** These executors have left. */
    synchronized void forget(Set<String> gone) {
        seen.keySet().removeAll(gone);
    }

    /** Those that the executor has not seen yet. */
    synchronized List<Suspect> unseen(String executor) {
        long before = seen.getOrDefault(executor, 0L);
        seen.put(executor, count);
        List<Suspect> all = new ArrayList<>(last);
        return all.subList((int) Math.max(0, all.size() - (count - before)), all.size());
    }
}
