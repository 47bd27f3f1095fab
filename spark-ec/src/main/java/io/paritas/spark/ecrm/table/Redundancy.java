/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import io.paritas.PublicApi;
import java.io.Serializable;

/**
 * How a model survives the loss of servers. Immutable.
 *
 * @param k rows of a stripe, 1 to 255; 1 without parity
 * @param parities parity units of a stripe, 0 to 2; two take {@link Parity#XOR} and {@link CommitMode#TWO_PHASES}
 * @param parity how parity is computed
 * @param copies replicas of a block, 1 to 3; three take {@link CommitMode#TWO_PHASES}
 * @param commit how an iteration is committed
 */
@PublicApi
public record Redundancy(int k, int parities, Parity parity, int copies, CommitMode commit) implements Serializable {
    private static final int MOST_ROWS = 255;

    public Redundancy {
        if (k < 1
                || k > MOST_ROWS
                || parities < 0
                || parities > 2
                || (parities == 0 && k > 1)
                || copies < 1
                || copies > 3) {
            throw new IllegalArgumentException("k must be 1 to " + MOST_ROWS
                    + ", and 1 without parity; parities must be 0 to 2, and copies of a block 1 to 3, got k = "
                    + k + ", " + parities + " parities and " + copies + " copies");
        }
        if ((parities > 1 || copies > 2) && commit == CommitMode.ONE_PHASE) {
            throw new IllegalArgumentException(
                    "two parities and three copies of a block take two phases: with one, a server that"
                            + " fails has updated some of them; got " + parities + " parities and " + copies
                            + " copies");
        }
        if (parities > 1 && parity != Parity.XOR) {
            throw new IllegalArgumentException(
                    "two parities are of bits, parity XOR, got " + parity + ": use XOR, or one parity");
        }
    }

    /**
     * Returns exact parity for every k rows, two replicas of blocks and two-phase commit. Any one server may fail, and
     * nothing is lost.
     *
     * @param k rows of a stripe, at least 1
     */
    public static Redundancy coded(int k) {
        return coded(k, 1);
    }

    /**
     * Returns r exact parities for every k rows, r + 1 replicas of blocks and two-phase commit. Any r servers may fail at once, and
     * nothing is lost.
     *
     * @param k rows of a stripe, 1 to 255
     * @param r parity units of a stripe, 1 or 2
     */
    public static Redundancy coded(int k, int r) {
        return new Redundancy(k, r, Parity.XOR, r + 1, CommitMode.TWO_PHASES);
    }

    /** Returns a full copy of each row, else as {@link #coded}. */
    public static Redundancy replicated() {
        return coded(1);
    }

    /**
     * Returns no redundancy, and one-phase commit, as in parameter servers without fault tolerance. If a server fails,
     * all servers go back to the last checkpoint; if there is none, its rows and blocks are lost.
     */
    public static Redundancy none() {
        return new Redundancy(1, 0, Parity.XOR, 1, CommitMode.ONE_PHASE);
    }

    /** Returns this with another parity. */
    public Redundancy parity(Parity other) {
        return new Redundancy(k, parities, other, copies, commit);
    }

    /** Returns this with one replica of each block, which is lost with its server. */
    public Redundancy oneReplicaOfBlocks() {
        return new Redundancy(k, parities, parity, 1, commit);
    }

    /** Returns this with {@link CommitMode#ONE_PHASE}. */
    public Redundancy onePhase() {
        return new Redundancy(k, parities, parity, copies, CommitMode.ONE_PHASE);
    }

    /** Whether rows are lost with a server. */
    public boolean isNone() {
        return parities == 0;
    }

    /** Whether the commit is {@link CommitMode#ONE_PHASE}. */
    public boolean isOnePhase() {
        return commit == CommitMode.ONE_PHASE;
    }
}
