/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.read;

import io.paritas.spark.ecrm.placement.StripePlacement;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.ReadMessage.Purpose;
import io.paritas.spark.ecrm.protocol.ReadMessage.ReadUnits;
import io.paritas.spark.ecrm.protocol.ReadMessage.Units;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.RowCode;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * A read of one server's units of some stripes from the other servers: makes the requests, takes the answers, and
 * decodes. Not thread-safe.
 */
public final class StripeRead {
    /** Reads of one reader that should run at a time. */
    public static final int MOST_READS = 2;

    /** Bytes that an answer should have at most: each server makes one in its memory, and all at the same time. */
    private static final int MOST_BYTES = 4 << 20;

    private final StripePlacement placement;
    private final RowCode code;
    private final int words;
    private final int server;
    private final int table;
    private final long[] stripes;

    private final Map<Address, ReadUnits> asked = new LinkedHashMap<>();
    /** By server: the places in {@link #stripes} of those that it is asked for. */
    private final Map<Address, int[]> placesOf = new HashMap<>();
    /** By place and unit: the answer with the unit, and where it begins there. */
    private final int[][][] units;

    private final int[][] starts;
    /** By place: how many units of other servers are missing. */
    private final int[] absent;

    private final int parities;
    /** By stripe: its place in {@link #stripes}; empty until it is needed. */
    private final Map<Long, Integer> places = new HashMap<>();
    /** Used by each decoding again. */
    private final int[] scratch;

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
            ModelSpec model, View view, int server, int table, Purpose purpose, long[] stripes, LongSupplier requests) {
        this.placement = model.stripes();
        this.code = RowCode.of(model);
        this.words = purpose == Purpose.DEGRADED_READ
                ? model.tables().get(table).width()
                : model.tables().get(table).words();
        this.server = server;
        this.table = table;
        this.stripes = stripes.clone();
        this.units = new int[stripes.length][placement.units()][];
        this.starts = new int[stripes.length][placement.units()];
        this.scratch = new int[words];
        this.absent = new int[stripes.length];
        this.parities = model.redundancy().parities();
        int[][] byServer = placesByServer();
        for (int other = 0; other < byServer.length; other++) {
            int[] wanted = other == server ? new int[0] : byServer[other];
            if (wanted.length > 0 && view.isUp(other)) {
                long[] some =
                        IntStream.of(wanted).mapToLong(place -> stripes[place]).toArray();
                asked.put(view.address(other), new ReadUnits(requests.getAsLong(), table, purpose, some));
                placesOf.put(view.address(other), wanted);
            } else {
                for (int place : wanted) {
                    absent[place]++;
                }
            }
        }
    }

    /** Returns how many stripes of a table are to be read at a time, at most. */
    public static int most(ModelSpec model, int table) {
        long words = (long) model.redundancy().k() + model.tables().get(table).words();
        return (int) Math.max(1, MOST_BYTES / (words * Integer.BYTES));
    }

    private int[][] placesByServer() {
        int[][] all = new int[placement.servers()][stripes.length];
        int[] counts = new int[placement.servers()];
        for (int place = 0; place < stripes.length; place++) {
            for (int unit = 0; unit < placement.units(); unit++) {
                int other = placement.server(stripes[place], unit);
                all[other][counts[other]++] = place;
            }
        }
        for (int other = 0; other < all.length; other++) {
            all[other] = Arrays.copyOf(all[other], counts[other]);
        }
        return all;
    }

    /** Returns the number of the table. */
    public int table() {
        return table;
    }

    /** Returns the stripes that are read. */
    public long[] stripes() {
        return stripes.clone();
    }

    private Map<Long, Integer> places() {
        for (int place = places.size(); place < stripes.length; place++) {
            places.put(stripes[place], place);
        }
        return places;
    }

    /** Returns the place of a stripe among {@link #stripes}. */
    public int place(long stripe) {
        return places().get(stripe);
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
        int missing = 0;
        for (int place : placesOf.remove(from)) {
            long stripe = stripes[place];
            // Missing stripes are in the order of the question.
            if (missing < answer.missing().length && answer.missing()[missing] == stripe) {
                missing++;
                absent[place]++;
            } else {
                int unit = placement.unitOn(from.id(), stripe);
                units[place][unit] = answer.words();
                starts[place][unit] = at;
                at += code.header(unit) + words;
            }
        }
        return true;
    }

    /** Whether all requests are answered. */
    public boolean isComplete() {
        return asked.isEmpty();
    }

    /** Whether the stripe at a place cannot be decoded, because more units are missing than it has parities. */
    public boolean isLost(int place) {
        return absent[place] >= parities;
    }

    /**
     * Decodes the unit of the stripe at a place that is not lost; empty if the stripe was updated between the reads of
     * its units.
     */
    public Optional<int[]> decoded(int place) {
        return code.decode(placement.unitOn(server, stripes[place]), units[place], starts[place], scratch);
    }
}
