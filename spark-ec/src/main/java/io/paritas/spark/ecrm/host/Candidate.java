/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.ViewMessage.Appoint;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fenced;
import io.paritas.spark.ecrm.protocol.ViewMessage.Offer;
import io.paritas.spark.ecrm.server.ShardServer;
import io.paritas.spark.ecrm.table.ModelSpec;
import org.apache.spark.SparkEnv;

/** Offers itself to the driver, and is a server as soon as it is appointed. As such it tells the driver that it lives. */
final class Candidate implements Machine {
    private final ModelSpec model;
    private final HostOptions options;
    private final Address self;
    private final int task;
    private final String driver;
    private final EventLoop loop;
    private ShardServer server;
    private Address address;

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
            if (!server.view().has(address)) {
                // It was taken for dead: what it has is of no use to anybody.
                server = null;
            }
        } else if (envelope.message() instanceof Appoint appoint) {
            address = appoint.view().address(appoint.server());
            server = new ShardServer(model, address, appoint.view(), options.timing(), options.pace(), loop::send);
            server.start(now);
            tick(now);
        }
    }

    @Override
    public void tick(long now) {
        if (server == null) {
            loop.send(new Envelope(
                    self,
                    Address.DRIVER,
                    0,
                    new Offer(task, loop.endpoint(), SparkEnv.get().executorId())));
        } else {
            server.tick(now);
            loop.send(new Envelope(
                    address,
                    Address.DRIVER,
                    server.view().epoch(),
                    new Fenced(server.view().epoch())));
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
