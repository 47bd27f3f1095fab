/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.gemm;

import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

/**
 * A matrix product C = A · B + bias in float32 on the CPU, checked by a {@link Scheme}. Threads compute blocks of rows of C. A
 * block goes through A and B in steps of the depth, so that a step of a panel stays in the L1 cache. Thread-safe.
 */
public final class Gemm {
    /** Most rows of a block, so that its part of A stays in the L2 cache. */
    public static final int BLOCK_ROWS = 96;

    /** Most columns of A in a step of the depth. */
    public static final int BLOCK_DEPTH = 256;

    /**
     * By the number of values of a vector. All products share them: a depthwise convolution has one for each channel. The last one that
     * was used is taken first, because it is in the cache.
     */
    private static final Map<Integer, Deque<BlockRun>> IDLE = new ConcurrentHashMap<>();

    private final Weights weights;
    private final Deque<BlockRun> idle;

    /** Products with these weights as B. */
    public Gemm(Weights weights) {
        this.weights = weights;
        this.idle = IDLE.computeIfAbsent(weights.tiles().lanes(), lanes -> new ConcurrentLinkedDeque<>());
    }

    /**
     * How this JVM adds products: {@code vectors}, which round a product and its sum at once, or {@code plain Java}, which rounds each. Their
     * last bits differ.
     */
    public static String arithmetic() {
        return TileChoice.name();
    }

    /** B. */
    public Weights weights() {
        return weights;
    }

    /**
     * Where C is written.
     *
     * @param values the array
     * @param at index of the first value
     * @param stride between rows
     */
    public record Target(float[] values, int at, int stride) {}

    /** Computes and checks C on the calling thread. */
    public Findings run(Activations a, Target c, Scheme scheme, Probe probe) {
        BlockRun run = take();
        try {
            Findings findings = Findings.NONE;
            for (int row = 0; row < a.rows(); row += BLOCK_ROWS) {
                findings = findings.plus(run.block(a, row, Math.min(BLOCK_ROWS, a.rows() - row), c, scheme, probe));
            }
            return findings;
        } finally {
            run.close();
            idle.push(run);
        }
    }

    /**
     * Computes and checks C on several threads.
     *
     * @param threads how many at most, the calling one included
     * @param helpers runs the others
     */
    public Findings run(Activations a, Target c, Scheme scheme, Probe probe, int threads, ExecutorService helpers) {
        int shares = Math.min(threads, (a.rows() + Tiles.ROWS - 1) / Tiles.ROWS);
        if (shares < 2) {
            return run(a, c, scheme, probe);
        }
        List<Future<Findings>> others = new ArrayList<>();
        try {
            for (int share = 1; share < shares; share++) {
                Activations part = part(a, share, shares);
                Target to = part(c, bound(a, share, shares));
                Probe shifted = probe == Probe.NONE ? probe : new ShiftedProbe(probe, bound(a, share, shares));
                others.add(submit(helpers, () -> run(part, to, scheme, shifted)));
            }
            Findings findings = run(part(a, 0, shares), c, scheme, probe);
            for (Future<Findings> other : others) {
                findings = findings.plus(joined(other));
            }
            return findings;
        } catch (RuntimeException | Error e) {
            awaitEnd(others, e);
            throw e;
        }
    }

    /** Has a helper compute a share; the calling thread, if the system has no thread left for one. */
    private static Future<Findings> submit(ExecutorService helpers, Callable<Findings> share) {
        FutureTask<Findings> task = new FutureTask<>(share);
        try {
            helpers.execute(task);
        } catch (OutOfMemoryError e) {
            task.run();
        }
        return task;
    }

    /**
     * Waits for the others, whose buffers are in use, when a part has failed.
     *
     * @throws Error the first one of them, instead of an exception: it says more than that a product has failed
     */
    private static void awaitEnd(List<Future<Findings>> others, Throwable failure) {
        Throwable thrown = failure;
        for (Future<Findings> other : others) {
            try {
                var unused = joined(other);
            } catch (IllegalStateException e) {
                // one failure is thrown already
            } catch (Error e) {
                if (!(thrown instanceof Error)) {
                    e.addSuppressed(thrown);
                    thrown = e;
                } else if (thrown != e) { // that which is thrown comes again from its own thread
                    thrown.addSuppressed(e);
                }
            }
        }
        if (thrown instanceof Error error) {
            throw error;
        }
    }

    /** The result of a thread. Its error is thrown as it is, an exception as the cause of another. */
    private static Findings joined(Future<Findings> other) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return other.get();
                } catch (InterruptedException e) { // the buffers are in use until it ends
                    interrupted = true;
                }
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException("a part of a product failed: " + e.getCause(), e.getCause());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The first row of a thread's share: shares are equal, in whole tiles. */
    private static int bound(Activations a, int share, int shares) {
        long tiles = (a.rows() + Tiles.ROWS - 1L) / Tiles.ROWS;
        return Math.min(a.rows(), (int) (tiles * share / shares) * Tiles.ROWS);
    }

    private static Target part(Target c, int row) {
        return new Target(c.values, c.at + row * c.stride, c.stride);
    }

    private static Activations part(Activations a, int share, int shares) {
        int first = bound(a, share, shares);
        int count = bound(a, share + 1, shares) - first;
        return new Activations() {
            @Override
            public int rows() {
                return count;
            }

            @Override
            public void show(int row, int rows, int k, int depth, Part part) {
                a.show(first + row, rows, k, depth, part);
            }
        };
    }

    private BlockRun take() {
        BlockRun run = idle.poll();
        run = run == null ? new BlockRun(weights.tiles().lanes()) : run;
        run.open(weights);
        return run;
    }
}
