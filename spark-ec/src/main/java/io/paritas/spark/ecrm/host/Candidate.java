/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import io.paritas.spark.ecrm.checkpoint.Checkpoint;
import io.paritas.spark.ecrm.checkpoint.CheckpointFolder;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;
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
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Origin;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import org.apache.spark.SparkEnv;
import org.apache.spark.deploy.SparkHadoopUtil;

/** Offers itself to the driver, and is a server as soon as it is appointed. As such it tells the driver that it lives. */
final class Candidate implements Machine {
    private final ModelSpec model;
    private final HostOptions options;
    private final Address self;
    private final int task;
    private final String driver;
    private final EventLoop loop;
    private ShardServer server;
    /** Of the server. */
    private ServerTotals.Part totals;

    /** Since it was appointed, also while it reads a checkpoint. */
    private Address address;

    private Saver saver;

    /** @param task its number among {@link ServerJobs} */
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
            if (envelope.message() instanceof Save save && envelope.to().equals(address) && server.isHeld()) {
                save(save);
            }
            leaveIfReplaced(server.view());
        } else if (envelope.message() instanceof Fence fence && address != null) {
            leaveIfReplaced(fence.view());
        } else if (envelope.message() instanceof Appoint appoint && address == null) {
            address = appoint.view().address(appoint.server());
            begin(appoint, now);
        }
    }

    /** It was taken for dead, or is to go back to a checkpoint: what it has is of no use to anybody. */
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
            serve(make(appoint, initial ? Optional.of(Origin.initial(model)) : Optional.empty()), now);
        }
    }

    private ShardServer make(Appoint appoint, Optional<Origin> origin) {
        Address self = appoint.view().address(appoint.server());
        return new ShardServer(model, self, appoint.view(), options.timing(), options.pace(), origin, loop::send);
    }

    private void serve(ShardServer made, long now) {
        server = made;
        totals = new ServerTotals.Part();
        server.start(now);
        tick(now);
    }

    /** On a thread of its own, because it may take long. */
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
            String why = "Server " + self.id() + " cannot restore: "
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

    private void save(Save save) {
        if (saver == null || !saver.isOf(save)) {
            saver = new Saver(save, model, address.id(), server, loop);
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
            totals.tell(server.figures());
        }
        int epoch = server == null ? 0 : server.view().epoch();
        loop.send(new Envelope(address, Address.DRIVER, epoch, new Fenced(epoch)));
    }

    @Override
    public void closed() {
        if (server != null) {
            totals.tell(server.figures());
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
