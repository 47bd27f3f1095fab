/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import java.nio.FloatBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;

/**
 * A cache of loaded models, shared by all tasks of a JVM: one for each hash and options. A model stays loaded after its last lease
 * is closed. It is closed when it has been idle too long, or when the pool is full and it is the least recently used. A model
 * counts once on however many GPUs it is, and makes room on all of them together. Leased models are never closed, even if there
 * are more than the bound; and those that were leased at once stay until another one is loaded, because the next task uses them
 * all again. Every acquire and release evicts; there is no thread. Thread-safe.
 *
 * <pre>{@code
 * try (ModelPool.Lease lease = ModelPool.shared().acquire(file, ModelOptions.DEFAULT)) {
 *     lease.model().predict(rows, inputs, outputs);
 * }
 * }</pre>
 */
public final class ModelPool implements AutoCloseable {
    private static ModelPool shared;

    private static volatile Consumer<DeviceLostException> deviceLost = loss -> {};

    private final int bound;
    private final long idleNanos;
    private final LongSupplier nanoClock;
    private final BiFunction<ModelFile, ModelOptions, Model> loader;
    /* In the order of use, the least recently used first. */
    private final Map<Key, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);
    /* The models of when most were leased at once, and when that last was. */
    private Set<Key> together = Set.of();
    private long togetherAt;
    private long loaded;
    private long hits;
    private long evictions;
    private boolean closed;

    private record Key(String sha256, ModelOptions options) {
        /** The same for all GPUs. */
        String name() {
            return sha256 + " " + options.withGpu(GpuChoice.ANY);
        }

        private Key onAnyGpu() {
            return new Key(sha256, options.withGpu(GpuChoice.ANY));
        }
    }

    /** A model that is loaded or being loaded; its fields are guarded by the pool. */
    private static final class Entry {
        private final Key key;
        private final CompletableFuture<Model> model = new CompletableFuture<>();
        private int leases;
        private long releasedAt;

        private Entry(Key key) {
            this.key = key;
        }

        private boolean isLoaded() {
            return model.isDone() && !model.isCompletedExceptionally();
        }

        /** The same for one model on several GPUs; on the CPU each has memory of its own, whichever GPU was wanted. */
        private Key counted() {
            return isLoaded() && model.join().device() == Device.CPU ? key : key.onAnyGpu();
        }
    }

    /**
     * Counters of a pool.
     *
     * @param loaded models loaded
     * @param hits acquires that found the model loaded or being loaded
     * @param evictions models closed
     */
    public record Metrics(long loaded, long hits, long evictions) {}

    /**
     * A pool beside the {@link #shared} one.
     *
     * @param models how many stay loaded, at least 1; more, if they were leased at once, until another one is loaded
     * @param idle how long an unused model stays loaded; positive
     */
    public ModelPool(int models, Duration idle) {
        this(models, idle, System::nanoTime);
    }

    ModelPool(int models, Duration idle, LongSupplier nanoClock) {
        this(models, idle, nanoClock, ModelEngines::load);
    }

    /** @param loader the engines, but in tests */
    ModelPool(int models, Duration idle, LongSupplier nanoClock, BiFunction<ModelFile, ModelOptions, Model> loader) {
        if (models < 1 || idle.isNegative() || idle.isZero()) {
            throw new IllegalArgumentException("a pool needs room for at least 1 model and a positive idle time, got "
                    + models + " models and " + idle);
        }
        this.bound = models;
        this.idleNanos = idle.toNanos();
        this.nanoClock = nanoClock;
        this.loader = loader;
    }

    /**
     * The pool of this JVM, with the bounds of the system properties {@code io.paritas.inference.pool.models} (8) and
     * {@code io.paritas.inference.pool.idle} (10min), which are read once. If it is closed, the next call makes another.
     *
     * @throws IllegalArgumentException if a property is wrong
     */
    public static synchronized ModelPool shared() {
        if (shared == null || shared.isClosed()) {
            shared = new ModelPool(PoolSettings.MODELS.get(), PoolSettings.IDLE.get());
        }
        return shared;
    }

    /**
     * Leases a model, and loads it first if necessary. Threads that ask for a model that is being loaded wait for it. Failures are
     * not cached: the next call tries again.
     *
     * @throws ModelException if loading fails, as {@link ModelEngines#load}
     * @throws IllegalStateException if the pool is closed
     */
    public Lease acquire(ModelFile file, ModelOptions options) {
        return acquire(file.sha256(), () -> file, options);
    }

    /**
     * The same for a model whose file is made only if it must be loaded.
     *
     * @param sha256 the hash of the file
     * @throws ModelException also if the file cannot be made
     */
    public Lease acquire(String sha256, Supplier<ModelFile> file, ModelOptions options) {
        Key key = new Key(sha256, options);
        Entry entry;
        boolean first;
        do {
            List<Entry> evicted;
            synchronized (this) {
                if (closed) {
                    throw new IllegalStateException("the model pool is closed, it cannot lease a model");
                }
                first = !entries.containsKey(key);
                entry = entries.computeIfAbsent(key, Entry::new);
                entry.leases++;
                hits += first ? 0 : 1;
                if (first && !together.contains(key) && !together.contains(key.onAnyGpu())) {
                    together = Set.of(); // their room is not for others
                }
                noteLeased();
                evicted = evict();
            }
            close(evicted);
            if (first) {
                load(entry, file, options);
            }
        } while (!first && lacksFile(entry)); // as where the task that loads is killed: this one has a file of its own
        return new Lease(entry, await(entry));
    }

    /**
     * Has a listener hear of every failure for which a model's device is lost to this JVM, when it is loaded and when it predicts. It is
     * called by the thread that failed, which goes on when the listener has returned.
     */
    public static void whenDeviceIsLost(Consumer<DeviceLostException> listener) {
        deviceLost = listener;
    }

    /** The name of a model with these options, the same in every JVM and on every GPU, for {@link #find}. */
    public static String name(ModelFile file, ModelOptions options) {
        return name(file.sha256(), options);
    }

    /** The same by the hash of the file. */
    public static String name(String sha256, ModelOptions options) {
        return new Key(sha256, options).name();
    }

    /** Leases the model of that name if it is loaded; never loads it. */
    public synchronized Optional<Lease> find(String name) {
        Optional<Entry> found =
                loaded().filter(entry -> entry.key.name().equals(name)).findFirst();
        found.ifPresent(entry -> entry.leases++);
        return found.map(entry -> new Lease(entry, entry.model.join()));
    }

    /** What computes the models of that name that are loaded: one for each GPU. */
    public synchronized Set<Hardware> hardware(String name) {
        return hardware(loaded().filter(entry -> entry.key.name().equals(name)));
    }

    /** What computes all models that are loaded. */
    public synchronized Set<Hardware> hardware() {
        return hardware(loaded());
    }

    private static Set<Hardware> hardware(Stream<Entry> entries) {
        return entries.map(entry -> entry.model.join().hardware()).collect(Collectors.toUnmodifiableSet());
    }

    private Stream<Entry> loaded() {
        return closed ? Stream.empty() : entries.values().stream().filter(Entry::isLoaded);
    }

    private void load(Entry entry, Supplier<ModelFile> file, ModelOptions options) {
        try {
            Model model = loader.apply(file.get(), options);
            synchronized (this) {
                loaded++;
            }
            entry.model.complete(model);
        } catch (Throwable e) { // Spark's broadcasts throw checked exceptions that they do not declare
            synchronized (this) {
                entries.remove(entry.key, entry);
            }
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            entry.model.completeExceptionally(e);
        }
    }

    /** Whether who loads has no file: broadcasts throw checked exceptions, and engines do not. Waits. */
    private static boolean lacksFile(Entry entry) {
        return entry.model
                .handle((model, e) -> e != null && !(e instanceof RuntimeException) && !(e instanceof Error))
                .join();
    }

    private static Model await(Entry entry) {
        try {
            return entry.model.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            if (e.getCause() instanceof DeviceLostException loss) {
                deviceLost.accept(loss);
            }
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new ModelException("the model's file cannot be read: " + e.getCause(), e.getCause());
        }
    }

    private void release(Entry entry) {
        List<Entry> evicted;
        synchronized (this) {
            noteLeased();
            entry.leases--;
            entry.releasedAt = nanoClock.getAsLong();
            entries.get(entry.key); // makes it the most recently used
            evicted = evict();
        }
        close(evicted);
    }

    /** Notes which models are leased, unless more were within the idle time. */
    private void noteLeased() {
        if (entries.size() <= bound) {
            return; // there is room for all
        }
        long now = nanoClock.getAsLong();
        if (now - togetherAt >= idleNanos) {
            together = Set.of();
        }
        long leases =
                entries.values().stream().filter(entry -> entry.leases > 0).count();
        if (leases >= together.size()) { // else the models, of which each has an entry or several, are fewer, too
            Set<Key> leased = models().stream()
                    .filter(ModelPool::isLeased)
                    .map(model -> model.get(0).counted())
                    .collect(Collectors.toSet());
            if (leased.size() >= together.size()) {
                together = leased;
                togetherAt = now;
            }
        }
    }

    private static boolean isLeased(List<Entry> model) {
        return model.stream().anyMatch(entry -> entry.leases > 0);
    }

    /** Removes surplus and idle models. The caller closes them without the pool's lock. */
    private List<Entry> evict() {
        long now = nanoClock.getAsLong();
        List<Entry> evicted = new ArrayList<>(entries.values().stream()
                .filter(entry -> entry.leases == 0 && (closed || now - entry.releasedAt >= idleNanos))
                .toList());
        entries.values().removeAll(evicted);
        evicted.addAll(evictSurplus());
        evictions += evicted.size();
        return evicted;
    }

    /** Removes the least recently used models that nobody uses on any GPU, until no more are left than there is room for. */
    private List<Entry> evictSurplus() {
        int room = Math.max(bound, together.size());
        if (entries.size() <= room) {
            return List.of();
        }
        List<List<Entry>> models = models();
        List<Entry> evicted = models.stream()
                .filter(model -> !isLeased(model))
                .limit(Math.max(0, models.size() - room))
                .flatMap(List::stream)
                .toList();
        entries.values().removeAll(evicted);
        return evicted;
    }

    /** What counts as one model each, in the order of their last use: it may be on several GPUs. */
    private List<List<Entry>> models() {
        Map<Key, List<Entry>> models = new LinkedHashMap<>();
        for (Entry entry : entries.values()) {
            Key model = entry.counted();
            List<Entry> onGpus = models.containsKey(model) ? models.remove(model) : new ArrayList<>();
            onGpus.add(entry);
            models.put(model, onGpus);
        }
        return List.copyOf(models.values());
    }

    private static void close(List<Entry> evicted) {
        for (Entry entry : evicted) {
            try {
                entry.model.join().close();
            } catch (RuntimeException | Error e) { // whoever evicts it is to load another
                LoggerFactory.getLogger(ModelPool.class).warn("Paritas: a model was not freed", e);
            }
        }
    }

    /** The counters. */
    public synchronized Metrics metrics() {
        return new Metrics(loaded, hits, evictions);
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** Closes unused models, and the others when their last lease is closed. A closed pool leases no models. */
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

        /** The model. Closing it closes this lease only. */
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

    /** The view of a shared model through one lease. */
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
        public Hardware hardware() {
            return target.hardware();
        }

        @Override
        public void predict(int rows, FloatBuffer inputs, FloatBuffer outputs) {
            leased(() -> target.predict(rows, inputs, outputs));
        }

        @Override
        public Optional<StoredInput> storedInput() {
            return target.storedInput().map(stored -> (rows, outputs) -> leased(() -> stored.predict(rows, outputs)));
        }

        private void leased(Runnable prediction) {
            if (lease.released.get()) {
                throw new IllegalStateException(
                        "the lease of the model with " + input() + " is closed: acquire another");
            }
            try {
                prediction.run();
            } catch (DeviceLostException e) {
                deviceLost.accept(e);
                throw e;
            }
        }

        @Override
        public void close() {
            lease.close();
        }
    }
}
