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
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

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
    /** By stripe: its place in {@link #stripes}. */
    private final Map<Long, Integer> places = new HashMap<>();

    private final Map<Address, ReadUnits> asked = new LinkedHashMap<>();
    /** By server: the places of the stripes that it is asked for. */
    private final Map<Address, int[]> placesOf = new HashMap<>();
    /** By place and unit. */
    private final int[][][] units;
    /** By place: whether a second unit is missing. */
    private final boolean[] lost;

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
        this.units = new int[stripes.size()][placement.units()][];
        this.lost = new boolean[stripes.size()];
        Arrays.fill(lost, model.redundancy().isNone());
        for (long stripe : stripes) {
            places.put(stripe, places.size());
        }
        for (int other = 0; other < placement.servers(); other++) {
            int[] wanted = other == server ? new int[0] : placesOn(other);
            if (wanted.length > 0 && view.isUp(other)) {
                long[] some = IntStream.of(wanted).mapToLong(stripes::get).toArray();
                asked.put(view.address(other), new ReadUnits(requests.getAsLong(), table, purpose, some));
                placesOf.put(view.address(other), wanted);
            } else {
                for (int place : wanted) {
                    lost[place] = true;
                }
            }
        }
    }

    private int[] placesOn(int other) {
        return IntStream.range(0, stripes.size())
                .filter(place -> placement.unitOn(other, stripes.get(place)) >= 0)
                .toArray();
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
        return places.containsKey(stripe);
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
        int at = 0;
        int absent = 0;
        for (int place : placesOf.remove(from)) {
            long stripe = stripes.get(place);
            // Missing stripes are in the order of the question.
            if (absent < answer.missing().length && answer.missing()[absent] == stripe) {
                absent++;
                lost[place] = true;
            } else {
                int unit = placement.unitOn(from.id(), stripe);
                int end = at + code.header(unit) + words;
                units[place][unit] = Arrays.copyOfRange(answer.words(), at, end);
                at = end;
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
        return lost[places.get(stripe)];
    }

    /**
     * Decodes the unit of a stripe that is not lost; empty if the stripe was updated between the reads of its units.
     */
    public Optional<int[]> decoded(long stripe) {
        return code.decode(placement.unitOn(server, stripe), units[places.get(stripe)]);
    }
}
