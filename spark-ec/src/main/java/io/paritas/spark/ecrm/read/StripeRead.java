/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.read;

import io.paritas.spark.ecrm.placement.StripePlacement;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.ReadMessage.Purpose;
import io.paritas.spark.ecrm.protocol.ReadMessage.ReadUnits;
import io.paritas.spark.ecrm.protocol.ReadMessage.Units;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.StripeCode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * A read of one server's units of some stripes from the other servers: makes the requests, takes the answers, and
 * decodes. Not thread-safe.
 */
public final class StripeRead {
    private final StripePlacement placement;
    private final StripeCode code;
    private final int words;
    private final int server;
    private final int table;
    private final List<Long> stripes;
    private final Map<Address, ReadUnits> asked = new LinkedHashMap<>();
    private final Map<Long, int[][]> units = new HashMap<>();
    private final Set<Long> lost = new HashSet<>();

    /**
     * Begins a read; its requests are {@link #asked}.
     *
     * @param view the servers to read from
     * @param server number of the server whose units are read
     * @param table number of the table
     * @param purpose which state of the units is read
     * @param stripes stripes of which the server has a unit
     * @param requests supplies numbers for requests
     */
    public StripeRead(
            ModelSpec model,
            View view,
            int server,
            int table,
            Purpose purpose,
            List<Long> stripes,
            LongSupplier requests) {
        this.placement = model.stripes();
        this.code = StripeCode.of(model);
        this.words = purpose == Purpose.DEGRADED_READ
                ? model.tables().get(table).width()
                : model.tables().get(table).words();
        this.server = server;
        this.table = table;
        this.stripes = List.copyOf(stripes);
        Map<Integer, List<Long>> byServer = new LinkedHashMap<>();
        if (model.redundancy().isNone()) {
            lost.addAll(stripes);
        }
        for (long stripe : stripes) {
            units.put(stripe, new int[placement.units()][]);
            for (int unit = 0; unit < placement.units(); unit++) {
                int other = placement.server(stripe, unit);
                if (other != server) {
                    byServer.computeIfAbsent(other, none -> new ArrayList<>()).add(stripe);
                }
            }
        }
        byServer.forEach((other, wanted) -> {
            if (view.isUp(other)) {
                asked.put(
                        view.address(other),
                        new ReadUnits(
                                requests.getAsLong(),
                                table,
                                purpose,
                                wanted.stream().mapToLong(Long::longValue).toArray()));
            } else {
                lost.addAll(wanted);
            }
        });
    }

    /** Whether the units of this server are read. */
    public boolean isOf(int number) {
        return server == number;
    }

    /** Returns the number of the table. */
    public int table() {
        return table;
    }

    /** Returns the stripes that are read. */
    public List<Long> stripes() {
        return stripes;
    }

    /** Whether this stripe is read. */
    public boolean has(long stripe) {
        return units.containsKey(stripe);
    }

    /** Returns the requests that are not answered yet, by server. */
    public Map<Address, ReadUnits> asked() {
        return asked;
    }

    /** Takes an answer; returns false if it is not one to this read. */
    public boolean accept(Address from, Units answer) {
        ReadUnits question = asked.get(from);
        if (question == null || question.request() != answer.request()) {
            return false;
        }
        asked.remove(from);
        Set<Long> missing = new HashSet<>();
        for (long stripe : answer.missing()) {
            missing.add(stripe);
        }
        lost.addAll(missing);
        int at = 0;
        for (long stripe : question.stripes()) {
            if (!missing.contains(stripe)) {
                int unit = placement.unitOn(from.id(), stripe);
                int[] all = new int[code.header(unit) + words];
                System.arraycopy(answer.words(), at, all, 0, all.length);
                units.get(stripe)[unit] = all;
                at += all.length;
            }
        }
        return true;
    }

    /** Whether all requests are answered. */
    public boolean isComplete() {
        return asked.isEmpty();
    }

    /** Whether a stripe cannot be decoded, because a second unit is missing. */
    public boolean isLost(long stripe) {
        return lost.contains(stripe);
    }

    /**
     * Decodes the unit of a stripe that is not lost; empty if the stripe was updated between the reads of its units.
     */
    public Optional<int[]> decoded(long stripe) {
        return code.decode(placement.unitOn(server, stripe), units.get(stripe));
    }
}
