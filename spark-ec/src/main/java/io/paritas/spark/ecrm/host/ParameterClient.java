/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import io.paritas.PublicApi;
import io.paritas.spark.ecrm.client.DataLossException;
import io.paritas.spark.ecrm.client.OutdatedRowException;
import io.paritas.spark.ecrm.client.Pull;
import io.paritas.spark.ecrm.client.Push;
import io.paritas.spark.ecrm.client.RolledBackException;
import io.paritas.spark.ecrm.client.Settlement;
import io.paritas.spark.ecrm.client.Worker;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.BlockGradient;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.ExpectedRow;
import io.paritas.spark.ecrm.protocol.MessageVisitor;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.protocol.ViewMessage.Connected;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fenced;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client of {@link ParameterServers}, for tasks that train: reads parameters and commits updates. When a server
 * fails, reads are decoded from the other servers, and updates wait until it is replaced, but not until the replacement
 * has recovered. Thread-safe, but there may be only one push at a time.
 */
@PublicApi
public final class ParameterClient implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ParameterClient.class);

    private static final long LOOK_MILLIS = 100;
    /** Looks between two warnings that an answer is late. */
    private static final int LOOKS_OF_WARNING = 300;
    /** Answers of the driver from which a client learns the time: some may be late. */
    private static final int ANSWERS = 8;

    /** Bits for the numbers of a client's requests: more than it will ever make. */
    private static final int NUMBER_BITS = 40;
    /** Clients of this JVM so far. Each has numbers of its own, as a task that reads many partitions has one client after another. */
    private static final AtomicLong CLIENTS = new AtomicLong();

    /** Of the application in which the client is. */
    private final SparkEnv spark = SparkEnv.get();

    private final EventLoop loop;
    private WorkerHandler handler;
    private int rollbacks;

    private ParameterClient(ParameterServers.Location location, int worker) {
        this.loop = new EventLoop("paritas-worker-" + worker, location.options().timing(), own -> {
            handler = new WorkerHandler(location, worker, own);
            return handler;
        });
    }

    /**
     * Connects to servers, and waits until the driver answers.
     *
     * @param location of the servers
     * @param worker a number that no other client of these servers has, or had in another JVM, such as the id of a task attempt
     */
    public static ParameterClient connect(ParameterServers.Location location, int worker) throws InterruptedException {
        ParameterClient client = new ParameterClient(location, worker);
        boolean connected = false;
        try {
            CompletableFuture<View> view = client.loop.ask(answer -> {
                var unused = client.handler.connected.thenAccept(answer::complete);
            });
            client.rollbacks = client.result(view).rollbacks();
            connected = true;
            return client;
        } finally {
            if (!connected) {
                client.close();
            }
        }
    }

    /**
     * Returns how often all servers had gone back to a checkpoint when this client connected. Of each time since then, a call tells by a
     * {@link RolledBackException}.
     */
    public int rollbacks() {
        return rollbacks;
    }

    /**
     * Reads rows of a table.
     *
     * <p>A server that fails, or is replaced because it seems dead, may be the only one that has heard that an iteration is
     * committed. If the driver ends that iteration without it, it is undone, and what was read of it was never committed.
     * {@link #push(List, List, List)} refuses updates that expect such a row.
     *
     * @param table number of the table
     * @param rows numbers of rows
     * @return their parameters, row after row; each row as it was committed at some time since the call
     * @throws DataLossException if some of them are lost
     * @throws RolledBackException if the servers went back to a checkpoint since the last call
     */
    public float[] pullRows(int table, long[] rows) throws InterruptedException {
        return pull(worker -> worker.pullRows(table, rows, EventLoop.now()));
    }

    /**
     * Reads blocks. What {@link #pullRows} says of servers that fail is true of blocks, too.
     *
     * @param blocks numbers of blocks
     * @return their parameters, block after block; each block as it was committed at some time since the call
     * @throws DataLossException if some of them are lost
     * @throws RolledBackException if the servers went back to a checkpoint since the last call
     */
    public float[] pullBlocks(int[] blocks) throws InterruptedException {
        return pull(worker -> worker.pullBlocks(blocks, EventLoop.now()));
    }

    private float[] pull(Function<Worker, Pull> begin) throws InterruptedException {
        return result(run(worker -> {
                    Pull pull = begin.apply(worker);
                    return new Running<>(pull::isDone, pull);
                }))
                .parameters();
    }

    /**
     * Commits the updates of an iteration, on all servers or on none.
     *
     * @param rows gradients of rows, each row once
     * @param blocks gradients of blocks
     * @return the number of attempts, without those that met a pause of the servers or a range that was being locked
     * @throws DataLossException if some of the rows are lost
     * @throws RolledBackException if the servers went back to a checkpoint since the last call
     */
    public int push(List<RowGradients> rows, List<BlockGradient> blocks) throws InterruptedException {
        return push(rows, blocks, List.of());
    }

    /**
     * Commits the updates of an iteration if some rows are still as they were read; needs two-phase commit. With a row
     * that counts the iterations of some work, each of them is committed once, also if a worker that was taken for dead
     * comes back and repeats one.
     *
     * @param rows gradients of rows, each row once
     * @param blocks gradients of blocks
     * @param expected rows among those that are updated, and their parameters
     * @return the number of attempts, without those that met a pause of the servers or a range that was being locked
     * @throws DataLossException if some of the rows are lost
     * @throws OutdatedRowException if a row is not what is expected: nothing is committed
     * @throws RolledBackException if the servers went back to a checkpoint since the last call
     */
    public int push(List<RowGradients> rows, List<BlockGradient> blocks, List<ExpectedRow> expected)
            throws InterruptedException {
        Push push = result(run(worker -> {
            long now = EventLoop.now();
            Push begun = worker.push(rows, blocks, expected, now + handler.ahead, now);
            return new Running<>(begun::isDone, begun);
        }));
        push.check();
        return push.attempts();
    }

    /**
     * Waits until the iterations of other clients that servers have begun are over. An iteration ends on one server after the other: what
     * is read from now on has all updates of each of them, or none; with one phase it may have a part. For a client that goes on with the work of another one, which may
     * have been lost in the middle of its last iteration.
     *
     * @throws RolledBackException if the servers went back to a checkpoint since the last call
     */
    public void settle() throws InterruptedException {
        result(run(worker -> {
                    Settlement settlement = worker.settle(EventLoop.now());
                    return new Running<>(settlement::isDone, settlement);
                }))
                .check();
    }

    /** An operation and whether it is done. */
    private record Running<T>(BooleanSupplier isDone, T operation) {}

    /** Begins an operation on the thread of the loop; the future completes when it is done. */
    private <T> CompletableFuture<T> run(Function<Worker, Running<T>> begin) throws InterruptedException {
        return loop.ask(answer -> {
            Running<T> running = begin.apply(handler.worker);
            handler.waiting.add(() -> running.isDone().getAsBoolean() && answer.complete(running.operation()));
        });
    }

    private <T> T result(CompletableFuture<T> future) throws InterruptedException {
        for (long look = 1; ; look++) {
            try {
                return future.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                endIfCancelled();
                requireApplication();
                if (look % LOOKS_OF_WARNING == 0) {
                    LOG.warn(
                            "has waited {} s for parameter servers, whose driver is {}: they may be closed, or one is"
                                    + " down or not reached from here",
                            look * LOOK_MILLIS / 1000,
                            handler.location.driver());
                }
            } catch (ExecutionException e) {
                if (e.getCause() instanceof RuntimeException cause) {
                    throw cause;
                }
                throw new IllegalStateException(e.getCause());
            }
        }
    }

    /** Spark interrupts the thread of a task that is cancelled only if it is asked to. Its servers may be gone for good. */
    private static void endIfCancelled() {
        TaskContext task = TaskContext.get();
        if (task != null) {
            task.killTaskIfInterrupted();
        }
    }

    /** After its end nobody answers. */
    private void requireApplication() {
        if (spark.isStopped()) {
            throw new IllegalStateException("the application has ended, and its parameter servers with it");
        }
    }

    /** Disconnects. */
    @Override
    public void close() {
        loop.close();
    }

    /** Asks the driver for the view and the time, and runs a worker as soon as it has the view. */
    private static final class WorkerHandler implements EventHandler {
        private final ParameterServers.Location location;
        private final int id;
        private final long first = CLIENTS.getAndIncrement() << NUMBER_BITS;
        private final EventLoop loop;
        private final CompletableFuture<View> connected = new CompletableFuture<>();
        /** Operations in progress: each completes its future, and returns true, when it is done. */
        private final List<BooleanSupplier> waiting = new ArrayList<>();

        private Worker worker;
        /** Answers of the driver so far that tell the time. */
        private int answers;
        /**
         * Milliseconds that the driver's clock is ahead of this one: by the driver's, workers say which of their pushes is older. Each answer
         * says too little by as much as it is late, and the greatest counts.
         */
        private long ahead = Long.MIN_VALUE;

        WorkerHandler(ParameterServers.Location location, int id, EventLoop loop) {
            this.location = location;
            this.id = id;
            this.loop = loop;
        }

        @Override
        public void receive(Envelope envelope, long now) {
            envelope.message().accept(new MessageVisitor() {
                @Override
                public void connected(Connected message) {
                    answers++;
                    ahead = Math.max(ahead, message.time() - now);
                    if (worker == null) {
                        connect(message.view());
                    }
                }
            });
            if (worker != null) {
                worker.receive(envelope, now);
                waiting.removeIf(BooleanSupplier::getAsBoolean);
            }
        }

        private void connect(View view) {
            worker = new Worker(
                    location.model(), id, first, view, location.options().timing(), loop::send);
            connected.complete(view);
        }

        @Override
        public void tick(long now) {
            if (answers < ANSWERS) {
                loop.send(new Envelope(Address.worker(id), Address.DRIVER, 0, new Fenced(0)));
            }
            if (worker != null) {
                worker.tick(now);
                waiting.removeIf(BooleanSupplier::getAsBoolean);
            }
        }

        @Override
        public void closed() {
            if (worker != null) {
                worker.leave();
            }
        }

        @Override
        public long due() {
            return worker == null ? Long.MAX_VALUE : worker.due();
        }

        @Override
        public String endpoint(Address receiver) {
            if (receiver.equals(Address.DRIVER)) {
                return location.driver();
            }
            boolean known =
                    worker != null && receiver.isServer() && worker.view().has(receiver);
            return known ? worker.view().members().get(receiver.id()).endpoint() : "";
        }
    }
}
