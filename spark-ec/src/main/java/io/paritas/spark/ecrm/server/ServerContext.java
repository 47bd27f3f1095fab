/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.placement.ReplicaPlacement;
import io.paritas.spark.ecrm.placement.StripePlacement;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.Message;
import io.paritas.spark.ecrm.protocol.ReadMessage.Lost;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.table.InitialState;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Shard;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** What the parts of one server share: its identity, model, view, shards, the time and the outbox. */
final class ServerContext {
    final ModelSpec model;
    final StripePlacement stripes;
    final ReplicaPlacement replicas;
    final Address self;
    final Timing timing;
    final List<Shard> shards = new ArrayList<>();
    /** By table. */
    final List<LostUnits> lost = new ArrayList<>();

    private final Consumer<Envelope> outbox;
    private final boolean replacement;
    private View view;
    private long now;
    private long requests;
    private long changes = 1;

    ServerContext(
            ModelSpec model,
            Address self,
            View view,
            Timing timing,
            Optional<InitialState> initialState,
            Consumer<Envelope> outbox) {
        this.model = model;
        this.stripes = model.stripes();
        this.replicas = model.replicas();
        this.self = self;
        this.view = view;
        this.timing = timing;
        this.outbox = outbox;
        this.replacement = initialState.isEmpty();
        for (int table = 0; table < model.tables().size(); table++) {
            shards.add(
                    initialState.isEmpty()
                            ? Shard.empty(model, table, self.id())
                            : Shard.of(model, table, self.id(), initialState.get()));
            lost.add(new LostUnits(stripes, self.id(), shards.get(table).stripes()));
            if (isReplacement() && model.redundancy().isNone()) {
                lost.get(table).addAll();
            }
        }
    }

    /** Whether updates are applied as they arrive. */
    boolean isOnePhase() {
        return model.redundancy().isOnePhase();
    }

    /** Whether the server recovers its state from other servers. */
    boolean isReplacement() {
        return replacement;
    }

    View view() {
        return view;
    }

    int epoch() {
        return view.epoch();
    }

    void see(View newer) {
        view = newer;
        changed();
    }

    /**
     * Records a change for which an attempt or a read may wait: an attempt has ended, a parity has been updated, a unit
     * has been recovered or lost, a range has been closed or opened, or the view has changed.
     */
    void changed() {
        changes++;
    }

    /** Returns how often {@link #changed} was called: who waits need not look again before it grows. */
    long changes() {
        return changes;
    }

    long now() {
        return now;
    }

    void at(long time) {
        now = time;
    }

    long nextRequest() {
        return requests++;
    }

    void send(Address to, Message message) {
        outbox.accept(new Envelope(self, to, epoch(), message));
    }

    /** Tells a worker that rows or blocks are lost; with a checkpoint, it waits until all servers have gone back. */
    void lose(Address worker, Lost message) {
        if (!view.restorable()) {
            send(worker, message);
        }
    }

    /** Returns this server's unit of a stripe, or -1. */
    int unit(long stripe) {
        return stripes.unitOn(self.id(), stripe);
    }

    /** Whether this server's unit of a stripe is still to be recovered, or lost. */
    boolean isMissing(int table, long stripe) {
        Shard shard = shards.get(table);
        return shard.missing() > 0 && shard.isMissing(stripe, unit(stripe));
    }

    /** Whether no unit of this server is missing. */
    boolean isWhole() {
        return shards.stream().allMatch(shard -> shard.missing() == 0);
    }

    /** Whether this server's unit of a stripe is lost for good. */
    boolean isLost(int table, long stripe) {
        return lost.get(table).has(stripe);
    }
}
