/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.client;

import io.paritas.spark.ecrm.placement.ReplicaPlacement;
import io.paritas.spark.ecrm.placement.StripePlacement;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.Message;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.table.ModelSpec;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** What the operations of one worker share: its identity, model, view, the time and the outbox. */
final class WorkerContext {
    final ModelSpec model;
    final StripePlacement stripes;
    final ReplicaPlacement replicas;
    final Timing timing;
    private final Address self;
    private final Consumer<Envelope> outbox;
    private View view;
    private long now;
    private long numbers;
    /** Servers that something was sent to. */
    private final Set<Address> asked = new HashSet<>();

    WorkerContext(ModelSpec model, int worker, long first, View view, Timing timing, Consumer<Envelope> outbox) {
        this.model = model;
        this.stripes = model.stripes();
        this.replicas = model.replicas();
        this.timing = timing;
        this.self = Address.worker(worker);
        this.view = view;
        this.outbox = outbox;
        this.numbers = first;
    }

    int worker() {
        return self.id();
    }

    View view() {
        return view;
    }

    void see(View newer) {
        view = newer;
    }

    long now() {
        return now;
    }

    void at(long time) {
        now = time;
    }

    /** Returns a number for a request or an attempt; none is used twice. */
    long nextNumber() {
        return numbers++;
    }

    void send(Address to, Message message) {
        if (to.isServer()) {
            asked.add(to);
        }
        outbox.accept(new Envelope(self, to, view.epoch(), message));
    }

    /** Returns the servers of the view that something was sent to. */
    List<Address> asked() {
        return view.addresses().stream().filter(asked::contains).toList();
    }

    /** Returns the first replica of a block, which has all its updates. */
    int first(int block) {
        return view.first(replicas.servers(block));
    }
}
