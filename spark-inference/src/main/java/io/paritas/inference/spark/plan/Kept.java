/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.ModelException;
import io.paritas.spark.job.Interrupt;
import java.lang.ref.SoftReference;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Function;
import java.util.function.Predicate;

/** What was read or made for keys, each in one version. Thread-safe. */
final class Kept {
    private final Map<Object, Reading> readings;

    private Kept(Map<Object, Reading> readings) {
        this.readings = readings;
    }

    private record Reading(Object version, FutureTask<?> task) {}

    /** Keeps so many, of which those are forgotten that were not asked for longest. */
    static Kept last(int most) {
        return new Kept(new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Object, Reading> eldest) {
                return size() > most;
            }
        });
    }

    /** Keeps what belongs to keys that somebody has. It must not have its key itself. */
    static Kept whileKeysAreThere() {
        return new Kept(new WeakHashMap<>());
    }

    /**
     * Returns what was read for a key in this version, or reads it; another version is forgotten. Others wait only if they want the
     * same. What cannot be read is tried again by the next one, and by those who wait if only the query of the reader was cancelled.
     */
    <K, V> V get(K key, Object version, Function<K, V> read) {
        return get(key, version, kept -> true, read);
    }

    /** The same, but what was read is forgotten before the heap runs short, if nobody has it. */
    <K, V> V getWhileThereIsRoom(K key, Object version, Function<K, V> read) {
        while (true) {
            SoftReference<V> kept = this.<K, SoftReference<V>>get(
                    key, version, known -> known.get() != null, wanted -> new SoftReference<>(read.apply(wanted)));
            V value = kept.get();
            if (value != null) {
                return value;
            }
        }
    }

    /**
     * The same, of one version.
     *
     * @param holds whether what was read earlier is still good; if not, it is read again
     */
    <K, V> V get(K key, Predicate<V> holds, Function<K, V> read) {
        return get(key, "", holds, read);
    }

    @SuppressWarnings("unchecked") // a key stands for one type
    private <K, V> V get(K key, Object version, Predicate<V> holds, Function<K, V> read) {
        while (true) {
            FutureTask<V> mine = new FutureTask<>(() -> read.apply(key));
            Reading reading = reading(key, new Reading(version, mine));
            boolean own = reading.task == mine;
            if (own) {
                mine.run();
            }
            try {
                V value = (V) reading.task.get();
                if (own || holds.test(value)) {
                    return value;
                }
                forget(key, reading);
            } catch (ExecutionException e) {
                forget(key, reading);
                if (own || !Interrupt.isAmongCauses(e)) {
                    throw failure(key, e.getCause());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new ModelException("interrupted while another query reads " + key, e);
            }
        }
    }

    private Reading reading(Object key, Reading mine) {
        synchronized (readings) {
            return readings.merge(key, mine, (kept, next) -> kept.version.equals(next.version) ? kept : next);
        }
    }

    private void forget(Object key, Reading reading) {
        synchronized (readings) {
            readings.remove(key, reading);
        }
    }

    private static RuntimeException failure(Object key, Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof RuntimeException failure
                ? failure
                : new IllegalStateException("cannot read " + key, cause);
    }
}
