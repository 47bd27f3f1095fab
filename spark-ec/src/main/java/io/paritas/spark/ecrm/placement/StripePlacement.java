/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.placement;

import java.util.ArrayList;
import java.util.List;

/**
 * Which server keeps which unit of which stripe, and where. k rows of a table that follow each other and r parity units are a
 * stripe; its units are on different servers, and in every S stripes in a row each of the S servers has k data units and r
 * parity units, so that updates of parity burden all alike (thesis 5.3.2). Unlike a plain rotation this holds where k + r and S
 * have a common factor too. Immutable.
 */
public final class StripePlacement {
    private final int servers;
    private final int k;
    private final int r;
    /** Stripes after which a plain rotation repeats itself. */
    private final int period;
    /** By (stripe mod S) and unit: how many units of its kind its server has before it. */
    private final int[][] rank;
    /** By server: its data units of S stripes, then its parity units, each as (stripe mod S) * n + unit. */
    private final List<List<Integer>> data = new ArrayList<>();

    private final List<List<Integer>> parity = new ArrayList<>();

    /**
     * @param servers S, at least k + r
     * @param k data units of a stripe, at least 1
     * @param r parity units of a stripe; without any, nothing can be decoded
     */
    public StripePlacement(int servers, int k, int r) {
        if (k < 1 || r < 0 || servers < k + r) {
            throw new IllegalArgumentException("A stripe of " + k + " rows and " + r
                    + " parities needs at least one row and a server for each unit, but there are " + servers
                    + " servers: use more servers or a smaller k");
        }
        this.servers = servers;
        this.k = k;
        this.r = r;
        this.period = servers / greatestCommonDivisor(servers, k + r);
        this.rank = new int[servers][k + r];
        for (int server = 0; server < servers; server++) {
            data.add(new ArrayList<>());
            parity.add(new ArrayList<>());
        }
        for (int stripe = 0; stripe < servers; stripe++) {
            for (int unit = 0; unit < k + r; unit++) {
                List<Integer> having = (unit < k ? data : parity).get(server(stripe, unit));
                rank[stripe][unit] = having.size();
                having.add(stripe * (k + r) + unit);
            }
        }
    }

    private static int greatestCommonDivisor(int a, int b) {
        return b == 0 ? a : greatestCommonDivisor(b, a % b);
    }

    public int servers() {
        return servers;
    }

    /** Data units of a stripe. */
    public int k() {
        return k;
    }

    /** All units of a stripe; those from k on are parity. */
    public int units() {
        return k + r;
    }

    /** Stripes of so many rows; the last one may have units without a row. */
    public long stripes(long rows) {
        return (rows + k - 1) / k;
    }

    public long stripe(long row) {
        return row / k;
    }

    public int unit(long row) {
        return (int) (row % k);
    }

    /** The server that has a unit. */
    public int server(long stripe, int unit) {
        int inCycle = (int) (stripe % servers);
        return (inCycle * (k + r) + unit + inCycle / period) % servers;
    }

    /** The server that has a row. */
    public int owner(long row) {
        return server(stripe(row), unit(row));
    }

    /** The unit of a stripe that a server has, or -1. */
    public int unitOn(int server, long stripe) {
        int first = server(stripe, 0);
        int unit = (server - first + servers) % servers;
        return unit < k + r ? unit : -1;
    }

    /** Where a server keeps a unit: numbers from 0 without gaps, one sequence for data and one for parity. */
    public long slot(long stripe, int unit) {
        int perCycle = unit < k ? k : r;
        return stripe / servers * perCycle + rank[(int) (stripe % servers)][unit];
    }

    /** The stripe whose data unit is in a slot of a server. */
    public long stripeOfData(int server, long slot) {
        return slot / k * servers + data.get(server).get((int) (slot % k)) / (k + r);
    }

    /** The stripe whose parity unit is in a slot of a server. */
    public long stripeOfParity(int server, long slot) {
        return slot / r * servers + parity.get(server).get((int) (slot % r)) / (k + r);
    }

    /** Slots for data that each server needs for so many rows. */
    public long dataSlots(long rows) {
        return cycles(rows) * k;
    }

    /** Slots for parity that each server needs for so many rows. */
    public long paritySlots(long rows) {
        return cycles(rows) * r;
    }

    private long cycles(long rows) {
        return (stripes(rows) + servers - 1) / servers;
    }
}
