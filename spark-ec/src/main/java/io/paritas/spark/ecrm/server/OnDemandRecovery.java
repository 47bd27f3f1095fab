/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.ReadMessage.Purpose;
import io.paritas.spark.ecrm.protocol.ReadMessage.Units;
import io.paritas.spark.ecrm.read.StripeRead;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Recovery of the units of a replacement that a request waits for, some at a time: they may be many. A stripe that was updated between the reads of its
 * units is read again at once.
 */
final class OnDemandRecovery {
    private record Wanted(int table, long stripe) {}

    private final ServerContext context;
    /** Not requested yet. */
    private final Set<Wanted> wanted = new LinkedHashSet<>();
    /** Requested from the other servers. */
    private final Set<Wanted> running = new LinkedHashSet<>();

    private final List<StripeRead> reads = new ArrayList<>();
    /** When requests were last repeated. */
    private long repeated;

    OnDemandRecovery(ServerContext context) {
        this.context = context;
    }

    /** Asks for this server's unit of a stripe. */
    void want(int table, long stripe) {
        Wanted one = new Wanted(table, stripe);
        if (!running.contains(one)) {
            wanted.add(one);
        }
    }

    /** Begins to read wanted units, unless others are being read. */
    void proceed() {
        while (!wanted.isEmpty() && reads.size() < StripeRead.MOST_READS) {
            int table = wanted.iterator().next().table();
            List<Wanted> next = wanted.stream()
                    .filter(one -> one.table() == table)
                    .limit(StripeRead.most(context.model, table))
                    .toList();
            next.forEach(wanted::remove);
            running.addAll(next);
            StripeRead read = new StripeRead(
                    context.model,
                    context.view(),
                    context.self.id(),
                    table,
                    Purpose.RECOVERY,
                    next.stream().mapToLong(Wanted::stripe).toArray(),
                    context::nextRequest);
            reads.add(read);
            read.asked().forEach(context::send);
            accept();
        }
    }

    void units(Address from, Units answer) {
        reads.forEach(read -> read.accept(from, answer));
        accept();
    }

    private void accept() {
        for (StripeRead read : List.copyOf(reads)) {
            if (read.isComplete()) {
                reads.remove(read);
                long[] stripes = read.stripes();
                for (int place = 0; place < stripes.length; place++) {
                    Wanted one = new Wanted(read.table(), stripes[place]);
                    running.remove(one);
                    if (!install(context, read, place, stripes[place])) {
                        wanted.add(one);
                    }
                }
            }
        }
    }

    /** Stores a unit that was read, or marks it as lost; returns false if it must be read again. */
    static boolean install(ServerContext context, StripeRead read, int place, long stripe) {
        if (!context.isMissing(read.table(), stripe)) {
            return true;
        }
        if (read.isLost(place)) {
            context.lost.get(read.table()).add(stripe);
            context.changed();
            return true;
        }
        Optional<int[]> unit = read.decoded(place);
        unit.ifPresent(words -> {
            context.shards.get(read.table()).recover(stripe, context.unit(stripe), words);
            context.changed();
        });
        return unit.isPresent();
    }

    /** After a change of view: reads everything again from the servers of the new view. */
    void fence() {
        reads.clear();
        wanted.addAll(running);
        running.clear();
    }

    void tick() {
        if (context.now() - repeated >= context.timing.retry()) {
            repeated = context.now();
            reads.forEach(read -> read.asked().forEach(context::send));
        }
    }
}
