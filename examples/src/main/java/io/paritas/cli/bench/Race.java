/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Measures coders side by side. They take turns of a few milliseconds, so that changes of the machine's speed (shared processors,
 * clock rates) affect all of them: the ratio of neighbouring turns counts.
 */
final class Race implements AutoCloseable {
    private static final long TURN = Duration.ofMillis(10).toNanos();
    private static final long LONGEST_WARM_UP = Duration.ofSeconds(30).toNanos();
    private static final int MIN_ROUNDS = 3;
    private static final int SHORT = 4096;

    private final List<Coder> coders;
    /** For each coder a lane for each thread. */
    private final List<List<Lane>> lanes = new ArrayList<>();

    private final Shape shortShape;
    private final ExecutorService pool;

    /** Creates a race of coders that can run here, each with a stripe for each thread. */
    Race(Shape shape, List<Coder> coders, int threads) throws IOException {
        this.coders = coders;
        shortShape = new Shape(shape.code(), Math.min(SHORT, shape.unitLength()));
        pool = Executors.newFixedThreadPool(threads);
        try {
            for (Coder coder : coders) {
                List<Lane> ofCoder = new ArrayList<>();
                lanes.add(ofCoder);
                for (int thread = 0; thread < threads; thread++) {
                    ofCoder.add(coder.lanes().on(shape));
                }
            }
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Warms up for as long as it measures, and until the compilers have finished the coders. */
    Speeds run(Operation operation, Duration perCoder) throws IOException {
        Duration all = perCoder.multipliedBy(coders.size());
        callOften(operation, perCoder);
        long start = System.nanoTime();
        do {
            rounds(operation, all);
        } while (CompilerQueue.holdsCoders() && System.nanoTime() - start < LONGEST_WARM_UP);
        return new Speeds(coders.stream().map(Coder::name).toList(), rounds(operation, all));
    }

    /** Warms up on short units first: the JVM compiles what is called often, and a coder's lanes share code. */
    private void callOften(Operation operation, Duration perCoder) throws IOException {
        for (Coder coder : coders) {
            try (Lane lane = coder.lanes().on(shortShape)) {
                lane.turn(operation, perCoder.toNanos());
            }
        }
    }

    private double[][] rounds(Operation operation, Duration duration) throws IOException {
        long end = System.nanoTime() + duration.toNanos();
        List<double[]> rounds = new ArrayList<>();
        while (System.nanoTime() < end || rounds.size() < MIN_ROUNDS) {
            double[] round = new double[coders.size()];
            for (int coder = 0; coder < round.length; coder++) {
                round[coder] = turn(lanes.get(coder), operation);
            }
            rounds.add(round);
        }
        return rounds.toArray(double[][]::new);
    }

    /** Returns GB/s of all threads together. */
    private double turn(List<Lane> ofCoder, Operation operation) throws IOException {
        List<Callable<Lane.Turn>> turns = new ArrayList<>();
        for (Lane lane : ofCoder) {
            turns.add(() -> lane.turn(operation, TURN));
        }
        double sum = 0;
        try {
            for (Future<Lane.Turn> turn : pool.invokeAll(turns)) {
                sum += turn.get().gigabytesPerSecond();
            }
        } catch (ExecutionException e) {
            throw failure(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("Interrupted while measuring", e);
        }
        return sum;
    }

    private static IOException failure(Throwable cause) {
        if (cause instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        return cause instanceof IOException io ? io : new IOException(cause);
    }

    @Override
    public void close() throws IOException {
        pool.shutdown();
        for (List<Lane> ofCoder : lanes) {
            for (Lane lane : ofCoder) {
                lane.close();
            }
        }
    }
}
