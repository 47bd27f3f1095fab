/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.ModelException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Function;

/** What was read or made for keys, of which those are forgotten that were not asked for longest. Thread-safe. */
final class Kept {
    private final Map<Object, FutureTask<?>> tasks;

    /** @param most how many are kept */
    Kept(int most) {
        tasks = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Object, FutureTask<?>> eldest) {
                return size() > most;
            }
        };
    }

    /**
     * Returns what was read for a key, or reads it. Others wait only if they want the same. What cannot be read is tried
     * again by the next one.
     */
    @SuppressWarnings("unchecked") // a key stands for one type
    <K, V> V get(K key, Function<K, V> read) {
        FutureTask<V> mine = new FutureTask<>(() -> read.apply(key));
        FutureTask<V> task;
        synchronized (tasks) {
            task = (FutureTask<V>) tasks.computeIfAbsent(key, unknown -> mine);
        }
        if (task == mine) {
            mine.run();
        }
        try {
            return task.get();
        } catch (ExecutionException e) {
            synchronized (tasks) {
                tasks.remove(key, task);
            }
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new IllegalStateException("cannot read " + key, e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ModelException("interrupted while another query reads " + key, e);
        }
    }
}
