/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import io.paritas.spark.ecrm.client.Pull;
import io.paritas.spark.ecrm.client.Push;
import io.paritas.spark.ecrm.client.Worker;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.BlockGradient;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fence;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fenced;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * What a task trains with: reads parameters of {@link ParameterServers}, and commits updates of them. It goes on when a server
 * is lost: reads are decoded from the others, and updates wait until it is replaced, which is not until it is recovered.
 * Thread-safe, but pushes are made one after another.
 */
public final class ParameterClient implements AutoCloseable {
    private final EventLoop loop;
    private WorkerMachine machine;

    private ParameterClient(ParameterServers.Location location, int worker) {
        this.loop = new EventLoop("paritas-worker-" + worker, location.options().timing(), own -> {
            machine = new WorkerMachine(location, worker, own);
            return machine;
        });
    }

    /**
     * Connects.
     *
     * @param worker a number that no other client of these servers has or had, such as the id of the attempt of a task
     */
    public static ParameterClient connect(ParameterServers.Location location, int worker) throws InterruptedException {
        ParameterClient client = new ParameterClient(location, worker);
        result(client.machine.connected);
        return client;
    }

    /** Parameters of rows of a table, row after row. */
    public float[] pullRows(int table, long[] rows) throws InterruptedException {
        return pull(worker -> worker.pullRows(table, rows, EventLoop.now()));
    }

    /** Parameters of blocks, block after block. */
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

    /** Commits the updates of an iteration, at all servers or at none. Returns how often it was tried. */
    public int push(List<RowGradients> rows, List<BlockGradient> blocks) throws InterruptedException {
        Push push = result(run(worker -> {
            Push begun = worker.push(rows, blocks, EventLoop.now());
            return new Running<>(begun::isDone, begun);
        }));
        push.check();
        return push.attempts();
    }

    private record Running<T>(BooleanSupplier isDone, T operation) {}

    private <T> CompletableFuture<T> run(Function<Worker, Running<T>> begin) throws InterruptedException {
        CompletableFuture<T> future = new CompletableFuture<>();
        loop.execute(() -> {
            try {
                Running<T> running = begin.apply(machine.worker);
                machine.waiting.add(() -> running.isDone().getAsBoolean() && future.complete(running.operation()));
            } catch (RuntimeException e) {
                future.completeExceptionally(e);
            }
        });
        return future;
    }

    private static <T> T result(CompletableFuture<T> future) throws InterruptedException {
        try {
            return future.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    @Override
    public void close() {
        loop.close();
    }

    /** A worker, as soon as the driver has said who the servers are. */
    private static final class WorkerMachine implements Machine {
        private final ParameterServers.Location location;
        private final int id;
        private final EventLoop loop;
        private final CompletableFuture<View> connected = new CompletableFuture<>();
        private final List<BooleanSupplier> waiting = new ArrayList<>();
        private Worker worker;

        WorkerMachine(ParameterServers.Location location, int id, EventLoop loop) {
            this.location = location;
            this.id = id;
            this.loop = loop;
        }

        @Override
        public void receive(Envelope envelope, long now) {
            if (worker != null) {
                worker.receive(envelope, now);
                waiting.removeIf(BooleanSupplier::getAsBoolean);
            } else if (envelope.message() instanceof Fence fence) {
                worker = new Worker(
                        location.model(), id, fence.view(), location.options().timing(), loop::send);
                connected.complete(fence.view());
            }
        }

        @Override
        public void tick(long now) {
            if (worker == null) {
                loop.send(new Envelope(Address.worker(id), Address.DRIVER, 0, new Fenced(0)));
            } else {
                worker.tick(now);
                waiting.removeIf(BooleanSupplier::getAsBoolean);
            }
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
