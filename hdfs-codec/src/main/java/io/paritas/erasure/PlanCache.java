/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * A bounded cache that evicts the least recently used entry. Thread-safe. Two threads that miss at once compute a value
 * twice, which is harmless for immutable values and keeps the computation outside the lock.
 */
final class PlanCache<K, V> {
    private final Map<K, V> entries;

    PlanCache(int capacity) {
        entries = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > capacity;
            }
        };
    }

    V get(K key, Function<K, V> compute) {
        V cached = lookUp(key);
        if (cached != null) {
            return cached;
        }
        V computed = compute.apply(key);
        synchronized (this) {
            entries.put(key, computed);
        }
        return computed;
    }

    private synchronized V lookUp(K key) {
        return entries.get(key);
    }

    synchronized int size() {
        return entries.size();
    }
}
