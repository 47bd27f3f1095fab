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
 * Reads what one server has, or had, of some stripes of a table from the other servers. It says what is to be sent, takes the
 * answers, and decodes. Not thread-safe.
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
     * @param server whose units are read from the others
     * @param stripes those in which it has a unit
     * @param requests numbers for requests
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

    /** Whether it is a server's units that are read. */
    public boolean isOf(int number) {
        return server == number;
    }

    public int table() {
        return table;
    }

    public List<Long> stripes() {
        return stripes;
    }

    /** Whether this is one of its stripes. */
    public boolean has(long stripe) {
        return units.containsKey(stripe);
    }

    /** What is not answered yet. */
    public Map<Address, ReadUnits> asked() {
        return asked;
    }

    /** Whether an answer was waited for. */
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

    /** Whether all is answered. */
    public boolean isComplete() {
        return asked.isEmpty();
    }

    /** Whether a second unit of a stripe is missing. */
    public boolean isLost(long stripe) {
        return lost.contains(stripe);
    }

    /** The unit of a stripe that is not lost; empty if one of the others was updated while they were read. */
    public Optional<int[]> decoded(long stripe) {
        return code.decode(placement.unitOn(server, stripe), units.get(stripe));
    }
}
