/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.placement.ReplicaPlacement;
import io.paritas.spark.ecrm.placement.StripePlacement;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.Message;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Origin;
import io.paritas.spark.ecrm.table.Shard;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** What the parts of one server share: who it is, what it sees and keeps, what time it is, and how it sends. */
final class Site {
    final ModelSpec model;
    final StripePlacement stripes;
    final ReplicaPlacement replicas;
    final Address self;
    final Timing timing;
    final List<Shard> shards = new ArrayList<>();
    /** By table: stripes of which another server has lost its unit too. */
    final Map<Integer, Set<Long>> lost = new HashMap<>();

    private final Consumer<Envelope> outbox;
    private final boolean replacement;
    private View view;
    private long now;
    private long requests;

    Site(ModelSpec model, Address self, View view, Timing timing, Optional<Origin> origin, Consumer<Envelope> outbox) {
        this.model = model;
        this.stripes = model.stripes();
        this.replicas = model.replicas();
        this.self = self;
        this.view = view;
        this.timing = timing;
        this.outbox = outbox;
        this.replacement = origin.isEmpty();
        for (int table = 0; table < model.tables().size(); table++) {
            shards.add(
                    origin.isEmpty()
                            ? Shard.empty(model, table, self.id())
                            : Shard.of(model, table, self.id(), origin.get()));
            lost.put(table, new HashSet<>());
            if (isReplacement() && model.redundancy().isNone()) {
                loseAll(table);
            }
        }
    }

    private void loseAll(int table) {
        for (long stripe = 0; stripe < shards.get(table).stripes(); stripe++) {
            if (unit(stripe) >= 0) {
                lost.get(table).add(stripe);
            }
        }
    }

    /** Whether what comes is applied at once. */
    boolean isOnePhase() {
        return model.redundancy().isOnePhase();
    }

    /** Whether it reads what it keeps from others. */
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

    /** The unit that this server has of a stripe. */
    int unit(long stripe) {
        return stripes.unitOn(self.id(), stripe);
    }

    boolean isMissing(int table, long stripe) {
        return shards.get(table).isMissing(stripe, unit(stripe));
    }

    boolean isLost(int table, long stripe) {
        return lost.get(table).contains(stripe);
    }
}
