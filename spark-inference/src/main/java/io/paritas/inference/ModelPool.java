/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import java.nio.FloatBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * Loaded models, shared by all tasks of a JVM: one for each hash and options. A model stays loaded when its last lease is
 * closed, until it is the one that was not used for the longest time when there are too many, or nobody has used it for a
 * while. Models in use are never closed: while more than the bound are in use, they are all kept, and each release closes
 * what is too much. Idle models are looked for at every acquire and release; there is no thread. Thread-safe.
 *
 * <pre>{@code
 * try (ModelPool.Lease lease = ModelPool.shared().acquire(file, ModelOptions.DEFAULT)) {
 *     lease.model().predict(rows, inputs, outputs);
 * }
 * }</pre>
 */
public final class ModelPool implements AutoCloseable {
    private static ModelPool shared;

    private final int bound;
    private final long idleNanos;
    private final LongSupplier nanoClock;
    /* The least recently used first. */
    private final Map<Key, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);
    private long loaded;
    private long hits;
    private long evictions;
    private boolean closed;

    private record Key(String sha256, ModelOptions options) {}

    /** A model that is loaded or being loaded; its fields are guarded by the pool. */
    private static final class Entry {
        private final Key key;
        private final CompletableFuture<Model> model = new CompletableFuture<>();
        private int leases;
        private long releasedAt;

        private Entry(Key key) {
            this.key = key;
        }
    }

    /**
     * What a pool has done so far.
     *
     * @param loaded models loaded
     * @param hits acquires that found the model there, or being loaded for another
     * @param evictions models closed, because there were too many or nobody used them
     */
    public record Metrics(long loaded, long hits, long evictions) {}

    /**
     * A pool of its own, for tests and for who wants other bounds than {@link #shared}.
     *
     * @param models how many stay loaded, at least 1
     * @param idle how long a model stays that nobody uses; positive
     */
    public ModelPool(int models, Duration idle) {
        this(models, idle, System::nanoTime);
    }

    ModelPool(int models, Duration idle, LongSupplier nanoClock) {
        if (models < 1 || idle.isNegative() || idle.isZero()) {
            throw new IllegalArgumentException("a pool needs room for at least 1 model and a positive idle time, got "
                    + models + " models and " + idle);
        }
        this.bound = models;
        this.idleNanos = idle.toNanos();
        this.nanoClock = nanoClock;
    }

    /**
     * The pool of this JVM, with the bounds of the system properties {@code io.paritas.inference.pool.models} (8) and
     * {@code io.paritas.inference.pool.idleSeconds} (600), which are read once. If it is closed, the next call makes another.
     *
     * @throws IllegalStateException if a property is not a positive whole number
     */
    public static synchronized ModelPool shared() {
        if (shared == null || shared.isClosed()) {
            shared = new ModelPool(
                    Setting.POOL_MODELS.positive(), Duration.ofSeconds(Setting.POOL_IDLE_SECONDS.positive()));
        }
        return shared;
    }

    /**
     * Leases a model, and loads it if it is not here. Threads that ask for the same model while it is being loaded wait for
     * it; others do not. A failure is not kept: the next call tries again.
     *
     * @throws ModelException if loading fails, as {@link ModelEngines#load}
     * @throws IllegalStateException if the pool is closed
     */
    public Lease acquire(ModelFile file, ModelOptions options) {
        Key key = new Key(file.sha256(), options);
        Entry entry;
        boolean first;
        List<Entry> evicted;
        synchronized (this) {
            if (closed) {
                throw new IllegalStateException("the model pool is closed, it cannot lease a model");
            }
            first = !entries.containsKey(key);
            entry = entries.computeIfAbsent(key, Entry::new);
            entry.leases++;
            hits += first ? 0 : 1;
            evicted = evict();
        }
        close(evicted);
        if (first) {
            load(entry, file, options);
        }
        return new Lease(entry, await(entry));
    }

    private void load(Entry entry, ModelFile file, ModelOptions options) {
        try {
            Model model = ModelEngines.load(file, options);
            synchronized (this) {
                loaded++;
            }
            entry.model.complete(model);
        } catch (RuntimeException | Error e) {
            synchronized (this) {
                entries.remove(entry.key, entry);
            }
            entry.model.completeExceptionally(e);
        }
    }

    private static Model await(Entry entry) {
        try {
            return entry.model.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) e.getCause();
        }
    }

    private void release(Entry entry) {
        List<Entry> evicted;
        synchronized (this) {
            entry.leases--;
            entry.releasedAt = nanoClock.getAsLong();
            entries.get(entry.key); // the most recently used now
            evicted = evict();
        }
        close(evicted);
    }

    /** Takes out what is too much or idle; the caller closes it, without holding up the pool. */
    private List<Entry> evict() {
        long now = nanoClock.getAsLong();
        List<Entry> evicted = new ArrayList<>();
        Iterator<Entry> oldestFirst = entries.values().iterator();
        while (oldestFirst.hasNext()) {
            Entry entry = oldestFirst.next();
            boolean due = closed || entries.size() > bound || now - entry.releasedAt >= idleNanos;
            if (entry.leases == 0 && due) {
                oldestFirst.remove();
                evicted.add(entry);
            }
        }
        evictions += evicted.size();
        return evicted;
    }

    private static void close(List<Entry> evicted) {
        for (Entry entry : evicted) {
            try {
                entry.model.join().close();
            } catch (RuntimeException e) {
                System.getLogger(ModelPool.class.getName())
                        .log(System.Logger.Level.WARNING, "Paritas: a model was not freed", e);
            }
        }
    }

    /** What this pool has done so far. */
    public synchronized Metrics metrics() {
        return new Metrics(loaded, hits, evictions);
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** Closes the models that nobody uses, and the others when their last lease is closed; leases no more. */
    @Override
    public void close() {
        List<Entry> evicted;
        synchronized (this) {
            closed = true;
            evicted = evict();
        }
        close(evicted);
    }

    /** The right to use a model until the lease is closed. Thread-safe; closing twice is harmless. */
    public final class Lease implements AutoCloseable {
        private final Entry entry;
        private final Model model;
        private final AtomicBoolean released = new AtomicBoolean();

        private Lease(Entry entry, Model loaded) {
            this.entry = entry;
            this.model = new Leased(this, loaded);
        }

        /** The model. Closing it closes this lease, not the model of the others. */
        public Model model() {
            return model;
        }

        @Override
        public void close() {
            if (!released.getAndSet(true)) {
                release(entry);
            }
        }
    }

    /** A shared model, as the holder of a lease sees it. */
    private record Leased(Lease lease, Model target) implements Model {
        @Override
        public TensorSpec input() {
            return target.input();
        }

        @Override
        public TensorSpec output() {
            return target.output();
        }

        @Override
        public Device device() {
            return target.device();
        }

        @Override
        public void predict(int rows, FloatBuffer inputs, FloatBuffer outputs) {
            if (lease.released.get()) {
                throw new IllegalStateException(
                        "the lease of the model with " + input() + " is closed: acquire another");
            }
            target.predict(rows, inputs, outputs);
        }

        @Override
        public void close() {
            lease.close();
        }
    }
}
