/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.ReadMessage.Purpose;
import io.paritas.spark.ecrm.protocol.ReadMessage.Units;
import io.paritas.spark.ecrm.read.StripeRead;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** At a replacement: makes units that somebody waits for. Units that were read at different times are read again. */
final class Recovery {
    /** One that is wanted. */
    private record Wanted(int table, long stripe) {}

    private final Site site;
    private final Set<Wanted> wanted = new LinkedHashSet<>();
    private final Set<Wanted> again = new LinkedHashSet<>();
    private final Set<Wanted> running = new LinkedHashSet<>();
    private final List<StripeRead> reads = new ArrayList<>();
    private long told;

    Recovery(Site site) {
        this.site = site;
    }

    void want(int table, long stripe) {
        Wanted one = new Wanted(table, stripe);
        if (!running.contains(one) && !again.contains(one)) {
            wanted.add(one);
        }
    }

    /** Begins to read what is wanted by now. */
    void proceed() {
        if (wanted.isEmpty()) {
            return;
        }
        Map<Integer, List<Long>> byTable = new LinkedHashMap<>();
        for (Wanted one : wanted) {
            byTable.computeIfAbsent(one.table(), none -> new ArrayList<>()).add(one.stripe());
        }
        running.addAll(wanted);
        wanted.clear();
        byTable.forEach((table, stripes) -> {
            StripeRead read = new StripeRead(
                    site.model, site.view(), site.self.id(), table, Purpose.RECOVERY, stripes, site::nextRequest);
            reads.add(read);
            read.asked().forEach(site::send);
        });
        accept();
    }

    void units(Address from, Units answer) {
        reads.forEach(read -> read.accept(from, answer));
        accept();
    }

    private void accept() {
        for (StripeRead read : List.copyOf(reads)) {
            if (read.isComplete()) {
                reads.remove(read);
                for (long stripe : read.stripes()) {
                    Wanted one = new Wanted(read.table(), stripe);
                    running.remove(one);
                    if (!install(site, read, stripe)) {
                        again.add(one);
                    }
                }
            }
        }
    }

    /** Keeps a unit that was read; false if it is to be read again. */
    static boolean install(Site site, StripeRead read, long stripe) {
        if (!site.isMissing(read.table(), stripe)) {
            return true;
        }
        if (read.isLost(stripe)) {
            site.lost.get(read.table()).add(stripe);
            return true;
        }
        Optional<int[]> unit = read.decoded(stripe);
        unit.ifPresent(words -> site.shards.get(read.table()).recover(stripe, site.unit(stripe), words));
        return unit.isPresent();
    }

    /** The others are others now. */
    void fence() {
        reads.clear();
        wanted.addAll(running);
        running.clear();
    }

    void tick() {
        if (site.now() - told >= site.timing.retry()) {
            told = site.now();
            reads.forEach(read -> read.asked().forEach(site::send));
            wanted.addAll(again);
            again.clear();
        }
    }
}
