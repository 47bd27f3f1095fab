/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import io.paritas.spark.ecrm.checkpoint.Checkpoint;
import io.paritas.spark.ecrm.checkpoint.CheckpointFolder;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.MessageVisitor;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.protocol.ViewMessage.Appoint;
import io.paritas.spark.ecrm.protocol.ViewMessage.Failed;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fence;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fenced;
import io.paritas.spark.ecrm.protocol.ViewMessage.Offer;
import io.paritas.spark.ecrm.protocol.ViewMessage.Save;
import io.paritas.spark.ecrm.protocol.ViewMessage.Saved;
import io.paritas.spark.ecrm.protocol.ViewMessage.Start;
import io.paritas.spark.ecrm.server.ShardServer;
import io.paritas.spark.ecrm.table.InitialState;
import io.paritas.spark.ecrm.table.ModelSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.SparkEnv;

/** Offers itself to the driver until it is appointed, then runs a server and sends heartbeats. */
final class Candidate implements EventHandler {
    private final ModelSpec model;
    private final HostOptions options;
    private final Configuration hadoop;
    private final Address self;
    private final int task;
    private final String driver;
    private final EventLoop loop;
    /** Builds servers, one after another. */
    private final ExecutorService builder;
    /** The last server that it was to build. */
    private Future<?> building;

    private ShardServer server;
    /** The server's share of the metrics. */
    private ServerTotals.Contribution totals;

    /** The server's address from its appointment on, also while it is being built; null before. */
    private Address address;

    private PartSaver saver;

    /** Why the server has no state that others may see; null if it has one, or builds it. */
    private Failed failure;

    /** While the server runs: writes checkpoints. */
    private final MessageVisitor checkpoints = new MessageVisitor() {
        @Override
        public void save(Save request) {
            if (server.isHeld()) {
                write(request);
            }
        }
    };

    /** While it waits: becomes a server when it is appointed. */
    private final MessageVisitor appointments = new MessageVisitor() {
        @Override
        public void appoint(Appoint message) {
            address = message.view().address(message.server());
            building = builder.submit(() -> build(message));
        }
    };

    /** While the server is being built, or has failed: notices that it has been replaced. */
    private final MessageVisitor views = new MessageVisitor() {
        @Override
        public void fence(Fence message) {
            leaveIfReplaced(message.view());
        }
    };

    /**
     * Creates a candidate.
     *
     * @param hadoop gives the file systems of checkpoints
     * @param self its address as a candidate
     * @param task its number among {@link ServerJobs}
     * @param driver host and port of the driver
     */
    Candidate(
            ModelSpec model,
            HostOptions options,
            Configuration hadoop,
            Address self,
            int task,
            String driver,
            EventLoop loop) {
        this.model = model;
        this.options = options;
        this.hadoop = hadoop;
        this.self = self;
        this.task = task;
        this.driver = driver;
        this.loop = loop;
        this.builder = Executors.newSingleThreadExecutor(build -> {
            Thread thread = new Thread(build, "paritas-build-" + self.id());
            thread.setDaemon(true);
            return thread;
        });
    }

    @Override
    public void receive(Envelope envelope, long now) {
        if (server != null) {
            serve(() -> receiveAsServer(envelope, now));
        } else if (address != null) {
            envelope.message().accept(views);
        } else {
            envelope.message().accept(appointments);
        }
    }

    private void receiveAsServer(Envelope envelope, long now) {
        server.receive(envelope, now);
        if (envelope.to().equals(address)) {
            envelope.message().accept(checkpoints);
        }
        leaveIfReplaced(server.view());
    }

    /**
     * Becomes a candidate again if the view has replaced the server, because it seemed dead or all go back to a
     * checkpoint.
     */
    private void leaveIfReplaced(View view) {
        if (!view.has(address)) {
            building.cancel(true);
            giveUp();
            address = null;
            failure = null;
        }
    }

    /** Keeps nothing of the server, whose memory the next one needs. */
    private void giveUp() {
        tellTotals();
        server = null;
        saver = null;
    }

    private ShardServer make(Appoint appoint) throws IOException {
        return switch (appoint.start()) {
            case INITIAL -> make(appoint, Optional.of(InitialState.initial(model)));
            case RECOVER -> make(appoint, Optional.empty());
            case CHECKPOINT -> {
                CheckpointFolder folder = new CheckpointFolder(appoint.folder(), hadoop);
                try (Checkpoint checkpoint = folder.open(appoint.checkpoint(), model)) {
                    yield make(appoint, Optional.of(checkpoint));
                }
            }
        };
    }

    private ShardServer make(Appoint appoint, Optional<InitialState> initialState) {
        Address self = appoint.view().address(appoint.server());
        return new ShardServer(model, self, appoint.view(), options.timing(), options.pace(), initialState, loop::send);
    }

    private void begin(ShardServer made, long now) {
        server = made;
        totals = new ServerTotals.Contribution();
        serve(() -> server.start(now));
        tick(now);
    }

    /** Builds the server and starts it. Runs on a thread of its own: it may take long, and heartbeats go on. */
    private void build(Appoint appoint) {
        Address self = appoint.view().address(appoint.server());
        Runnable next;
        try {
            ShardServer made = make(appoint);
            next = () -> begin(made, EventLoop.now());
        } catch (IOException | RuntimeException | Error e) {
            next = () -> fail(appoint.start(), e instanceof UncheckedIOException io ? io.getCause() : e);
        }
        Runnable last = next;
        try {
            loop.execute(() -> {
                if (self.equals(address)) {
                    last.run();
                }
            });
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A server that recovers takes memory as it goes. Where it finds none, a step may be done by half. */
    private void serve(Runnable step) {
        try {
            step.run();
        } catch (OutOfMemoryError e) {
            fail(Start.RECOVER, e);
        }
    }

    /** Serves no more, and says why with each heartbeat, as any message may be dropped. */
    private void fail(Start start, Throwable cause) {
        giveUp();
        String message = String.valueOf(cause.getMessage());
        // Rows are in direct memory; messages, and what is staged, in the heap.
        String memory = message.contains("direct") ? "memory outside the heap" : "heap";
        String what = start == Start.CHECKPOINT
                ? "restore a checkpoint"
                : "hold its part of the model (more servers, or more " + memory + ", may help)";
        failure = new Failed("server " + address.id() + " cannot " + what + ": " + message);
    }

    /** Begins to write, or answers if the file is written. A late request must not overwrite the file of a checkpoint before. */
    private void write(Save save) {
        if (saver != null && saver.isAfter(save)) {
            return;
        }
        if (saver == null || !saver.isOf(save)) {
            saver = new PartSaver(save, hadoop, model, address.id(), server, loop);
        }
        if (saver.failure() != null) {
            loop.send(new Envelope(
                    address, Address.DRIVER, server.view().epoch(), new Saved(save.number(), saver.failure())));
        }
    }

    @Override
    public void tick(long now) {
        if (address == null) {
            loop.send(new Envelope(
                    self,
                    Address.DRIVER,
                    0,
                    new Offer(task, loop.endpoint(), SparkEnv.get().executorId())));
            return;
        }
        if (server != null) {
            serve(() -> {
                server.tick(now);
                totals.tell(server.counters());
            });
        }
        if (failure != null) {
            loop.send(new Envelope(address, Address.DRIVER, 0, failure));
        }
        int epoch = server == null ? 0 : server.view().epoch();
        loop.send(new Envelope(address, Address.DRIVER, epoch, new Fenced(epoch)));
    }

    @Override
    public void closed() {
        builder.shutdownNow();
        tellTotals();
    }

    private void tellTotals() {
        if (server != null) {
            totals.tell(server.counters());
            totals.end();
        }
    }

    @Override
    public String endpoint(Address receiver) {
        if (receiver.equals(Address.DRIVER)) {
            return driver;
        }
        boolean known = receiver.isServer() && server != null && server.view().has(receiver);
        return known ? server.view().members().get(receiver.id()).endpoint() : "";
    }
}
