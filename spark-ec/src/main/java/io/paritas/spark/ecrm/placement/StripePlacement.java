/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.placement;

import io.paritas.PublicApi;
import java.util.ArrayList;
import java.util.List;

/**
 * Which server keeps which unit of which stripe, and where. A stripe is k consecutive rows of a table and r parity
 * units, each on another server. In every S consecutive stripes each of the S servers has k data units and r parity
 * units, so that all servers share the updates of parities equally (thesis, 5.3.2). Unlike with a plain rotation, this
 * also holds if k + r and S have a common factor. Immutable.
 */
@PublicApi
public final class StripePlacement {
    private final int servers;
    private final int k;
    private final int r;
    private final Divisor byServers;
    private final Divisor byK;
    /** By (stripe mod S) and unit. */
    private final int[][] serverOf;
    /** By (stripe mod S) and unit: how many units of its kind precede it on its server. */
    private final int[][] rank;
    /** By server: its data units of S stripes, each as (stripe mod S) * (k + r) + unit. {@code parity} is alike. */
    private final List<List<Integer>> data = new ArrayList<>();

    private final List<List<Integer>> parity = new ArrayList<>();

    /**
     * Creates a placement.
     *
     * @param servers S, at least k + r
     * @param k data units of a stripe, at least 1
     * @param r parity units of a stripe; with 0, nothing can be decoded
     * @throws IllegalArgumentException if one of the numbers is less
     */
    public StripePlacement(int servers, int k, int r) {
        if (k < 1 || r < 0 || servers < k + r) {
            throw new IllegalArgumentException(
                    "k must be at least 1 and r at least 0, with k + r servers at least, got k = " + k + ", r = " + r
                            + " and " + servers + " servers: use more servers or a smaller k");
        }
        this.servers = servers;
        this.k = k;
        this.r = r;
        this.byServers = new Divisor(servers);
        this.byK = new Divisor(k);
        this.serverOf = new int[servers][k + r];
        // Stripes after which a plain rotation repeats.
        int period = servers / greatestCommonDivisor(servers, k + r);
        this.rank = new int[servers][k + r];
        for (int server = 0; server < servers; server++) {
            data.add(new ArrayList<>());
            parity.add(new ArrayList<>());
        }
        for (int stripe = 0; stripe < servers; stripe++) {
            for (int unit = 0; unit < k + r; unit++) {
                int server = (stripe * (k + r) + unit + stripe / period) % servers;
                serverOf[stripe][unit] = server;
                List<Integer> having = (unit < k ? data : parity).get(server);
                rank[stripe][unit] = having.size();
                having.add(stripe * (k + r) + unit);
            }
        }
    }

    private static int greatestCommonDivisor(int a, int b) {
        return b == 0 ? a : greatestCommonDivisor(b, a % b);
    }

    /** Returns S, the number of servers. */
    public int servers() {
        return servers;
    }

    /** Returns k, the data units of a stripe. */
    public int k() {
        return k;
    }

    /** Returns k + r, the units of a stripe; those from k on are parity. */
    public int units() {
        return k + r;
    }

    /** Returns the number of stripes of a table; the last one may have units without a row. */
    public long stripes(long rows) {
        return (rows + k - 1) / k;
    }

    /** Returns the stripe of a row. */
    public long stripe(long row) {
        return byK.quotient(row);
    }

    /** Returns the data unit of a row within its stripe. */
    public int unit(long row) {
        return byK.remainder(row);
    }

    /** Returns the server with a unit. */
    public int server(long stripe, int unit) {
        return serverOf[byServers.remainder(stripe)][unit];
    }

    /** Returns the owner of a row. */
    public int owner(long row) {
        return server(stripe(row), unit(row));
    }

    /** Returns the unit of a stripe that a server has, or -1. */
    public int unitOn(int server, long stripe) {
        // Units are on consecutive servers.
        int unit = server - serverOf[byServers.remainder(stripe)][0];
        unit += unit < 0 ? servers : 0;
        return unit < k + r ? unit : -1;
    }

    /**
     * Returns the slot in which its server keeps a unit. Data units and parity units are each numbered from 0 without
     * gaps.
     */
    public long slot(long stripe, int unit) {
        int perCycle = unit < k ? k : r;
        long cycle = byServers.quotient(stripe);
        return cycle * perCycle + rank[(int) (stripe - cycle * servers)][unit];
    }

    /** Returns the stripe whose data unit is in a slot of a server. */
    public long stripeOfData(int server, long slot) {
        return slot / k * servers + data.get(server).get((int) (slot % k)) / (k + r);
    }

    /** Returns the stripe whose parity unit is in a slot of a server. */
    public long stripeOfParity(int server, long slot) {
        return slot / r * servers + parity.get(server).get((int) (slot % r)) / (k + r);
    }

    /** Returns how many slots for data units each server needs for a table. */
    public long dataSlots(long rows) {
        return cycles(rows) * k;
    }

    /** Returns how many slots for parity units each server needs for a table. */
    public long paritySlots(long rows) {
        return cycles(rows) * r;
    }

    private long cycles(long rows) {
        return (stripes(rows) + servers - 1) / servers;
    }
}
