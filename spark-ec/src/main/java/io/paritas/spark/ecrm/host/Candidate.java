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
import org.apache.spark.SparkEnv;
import org.apache.spark.deploy.SparkHadoopUtil;

/** Offers itself to the driver until it is appointed, then runs a server and sends heartbeats. */
final class Candidate implements EventHandler {
    private final ModelSpec model;
    private final HostOptions options;
    private final Address self;
    private final int task;
    private final String driver;
    private final EventLoop loop;
    private ShardServer server;
    /** The server's share of the metrics. */
    private ServerTotals.Contribution totals;

    /** The server's address from its appointment on, also while a checkpoint is being read; null before. */
    private Address address;

    private PartSaver saver;

    /** While the server runs: writes checkpoints. */
    private final MessageVisitor checkpoints = new MessageVisitor() {
        @Override
        public void save(Save request) {
            if (server.isHeld()) {
                write(request);
            }
        }
    };

    /** While a checkpoint is being read: notices that the server has been replaced. */
    private final MessageVisitor views = new MessageVisitor() {
        @Override
        public void fence(Fence message) {
            leaveIfReplaced(message.view());
        }
    };

    /**
     * Creates a candidate.
     *
     * @param self its address as a candidate
     * @param task its number among {@link ServerJobs}
     * @param driver host and port of the driver
     */
    Candidate(ModelSpec model, HostOptions options, Address self, int task, String driver, EventLoop loop) {
        this.model = model;
        this.options = options;
        this.self = self;
        this.task = task;
        this.driver = driver;
        this.loop = loop;
    }

    @Override
    public void receive(Envelope envelope, long now) {
        if (server != null) {
            server.receive(envelope, now);
            if (envelope.to().equals(address)) {
                envelope.message().accept(checkpoints);
            }
            leaveIfReplaced(server.view());
        } else if (address != null) {
            envelope.message().accept(views);
        } else {
            envelope.message().accept(new AppointmentReceiver(now));
        }
    }

    /** While it waits: becomes a server when it is appointed. */
    private final class AppointmentReceiver implements MessageVisitor {
        private final long now;

        AppointmentReceiver(long now) {
            this.now = now;
        }

        @Override
        public void appoint(Appoint message) {
            address = message.view().address(message.server());
            begin(message, now);
        }
    }

    /**
     * Becomes a candidate again if the view has replaced the server, because it seemed dead or all go back to a
     * checkpoint.
     */
    private void leaveIfReplaced(View view) {
        if (!view.has(address)) {
            closed();
            server = null;
            address = null;
        }
    }

    private void begin(Appoint appoint, long now) {
        if (appoint.start() == Start.CHECKPOINT) {
            Thread thread = new Thread(() -> restore(appoint), "paritas-restore-" + appoint.server());
            thread.setDaemon(true);
            thread.start();
        } else {
            boolean initial = appoint.start() == Start.INITIAL;
            serve(make(appoint, initial ? Optional.of(InitialState.initial(model)) : Optional.empty()), now);
        }
    }

    private ShardServer make(Appoint appoint, Optional<InitialState> initialState) {
        Address self = appoint.view().address(appoint.server());
        return new ShardServer(model, self, appoint.view(), options.timing(), options.pace(), initialState, loop::send);
    }

    private void serve(ShardServer made, long now) {
        server = made;
        totals = new ServerTotals.Contribution();
        server.start(now);
        tick(now);
    }

    /** Reads a checkpoint and starts the server. Runs on a thread of its own, because it may take long. */
    private void restore(Appoint appoint) {
        Address self = appoint.view().address(appoint.server());
        Runnable next;
        try (Checkpoint checkpoint = new CheckpointFolder(
                        appoint.folder(),
                        SparkHadoopUtil.get().newConfiguration(SparkEnv.get().conf()))
                .open(appoint.checkpoint(), model)) {
            ShardServer made = make(appoint, Optional.of(checkpoint));
            next = () -> serve(made, EventLoop.now());
        } catch (IOException | RuntimeException e) {
            String why = "server " + self.id() + " cannot restore a checkpoint: "
                    + (e instanceof UncheckedIOException io ? io.getCause() : e).getMessage();
            next = () -> loop.send(new Envelope(self, Address.DRIVER, 0, new Failed(why)));
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

    /** Begins to write, or answers if the file is written. */
    private void write(Save save) {
        if (saver == null || !saver.isOf(save)) {
            saver = new PartSaver(save, model, address.id(), server, loop);
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
            server.tick(now);
            totals.tell(server.counters());
        }
        int epoch = server == null ? 0 : server.view().epoch();
        loop.send(new Envelope(address, Address.DRIVER, epoch, new Fenced(epoch)));
    }

    @Override
    public void closed() {
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
