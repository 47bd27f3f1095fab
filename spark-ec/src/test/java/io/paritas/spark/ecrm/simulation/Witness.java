/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.simulation;

import io.paritas.spark.ecrm.placement.StripePlacement;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finished;
import io.paritas.spark.ecrm.protocol.CommitMessage.Stage;
import io.paritas.spark.ecrm.protocol.CommitMessage.StageParity;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.RowDifferences;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.server.ShardServer;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.UnitId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Learns which version of a row each attempt updates, whether or not anybody hears of it. Owners say it to parity
 * servers; without parity, they tell the worker when they have just applied its updates. With one phase, they also apply
 * updates whose parity server is down: then the versions before and after an event show it, and the updates that arrived
 * first were applied first.
 */
final class Witness implements VirtualServers.Observer {
    private final ModelSpec model;
    private final Histories histories;
    /** By owner and row: attempts whose update has arrived and is not known to be applied. */
    private final Map<Address, Map<UnitId, Set<TxId>>> arrived = new HashMap<>();
    /** Versions of the rows of the server that acts now, before it does. */
    private final Map<UnitId, Integer> before = new LinkedHashMap<>();

    private ShardServer acting;
    /** The versions among those updated meanwhile whose attempt is known. */
    private final Map<UnitId, Set<Integer>> explained = new HashMap<>();

    Witness(ModelSpec model, Histories histories) {
        this.model = model;
        this.histories = histories;
    }

    /** Takes a message that the server sends that acts now. */
    @Override
    public void sends(Envelope envelope) {
        if (envelope.message() instanceof StageParity staged) {
            for (RowDifferences rows : staged.differences()) {
                for (int i = 0; i < rows.count(); i++) {
                    long row = rows.rows()[i];
                    UnitId id = new UnitId(
                            rows.table(),
                            model.stripes().stripe(row),
                            model.stripes().unit(row));
                    learn(staged.tx(), envelope.from(), id, rows.bases()[i]);
                }
            }
        } else if (envelope.message() instanceof Finished finished
                && model.redundancy().isNone()) {
            before.keySet().stream()
                    .filter(row -> arrivals(envelope.from(), row).contains(finished.tx()))
                    .forEach(row -> learn(finished.tx(), envelope.from(), row, version(acting, row) - 1));
        }
    }

    private static int version(ShardServer server, UnitId row) {
        return server.shard(row.table()).version(row.stripe(), row.unit(), row.unit());
    }

    private void learn(TxId tx, Address owner, UnitId row, int base) {
        histories.updates(tx, row, base);
        explained.computeIfAbsent(row, none -> new HashSet<>()).add(base);
        arrivals(owner, row).remove(tx);
    }

    private Set<TxId> arrivals(Address owner, UnitId row) {
        return arrived.computeIfAbsent(owner, none -> new HashMap<>())
                .computeIfAbsent(row, none -> new LinkedHashSet<>());
    }

    /** Runs what makes a server act: the receipt of a message, or a tick. */
    @Override
    public void acts(Address address, ShardServer server, Runnable event) {
        if (!model.redundancy().isOnePhase()) {
            event.run();
            return;
        }
        acting = server;
        before.clear();
        explained.clear();
        before.putAll(versions(address, server));
        event.run();
        Map<UnitId, Integer> after = versions(address, server);
        before.forEach((row, version) -> {
            for (int base = version; base < after.get(row); base++) {
                if (!explained.getOrDefault(row, Set.of()).contains(base)) {
                    learn(arrivals(address, row).iterator().next(), address, row, base);
                }
            }
        });
    }

    /** Takes a message that reaches a server. */
    void arrives(Envelope envelope) {
        if (model.redundancy().isOnePhase() && envelope.message() instanceof Stage stage) {
            for (RowGradients part : stage.rows()) {
                for (long number : part.rows()) {
                    UnitId row = new UnitId(
                            part.table(),
                            model.stripes().stripe(number),
                            model.stripes().unit(number));
                    if (!histories.isUpdate(stage.tx(), row)) {
                        arrivals(envelope.to(), row).add(stage.tx());
                    }
                }
            }
        }
    }

    /** Returns the versions of the rows that a server owns and has. */
    private Map<UnitId, Integer> versions(Address address, ShardServer server) {
        StripePlacement stripes = model.stripes();
        Map<UnitId, Integer> versions = new LinkedHashMap<>();
        for (int table = 0; table < model.tables().size(); table++) {
            for (long number = 0; number < model.tables().get(table).rows(); number++) {
                long stripe = stripes.stripe(number);
                int unit = stripes.unit(number);
                if (stripes.owner(number) == address.id()
                        && !server.shard(table).isMissing(stripe, unit)) {
                    UnitId row = new UnitId(table, stripe, unit);
                    versions.put(row, version(server, row));
                }
            }
        }
        return versions;
    }
}
