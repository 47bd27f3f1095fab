/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import io.paritas.PublicApi;
import java.io.Serializable;

/**
 * How a model survives the loss of a server. Immutable.
 *
 * @param k rows of a stripe, at least 1; 1 without parity
 * @param parities parity units of a stripe, 1 or 0
 * @param parity how parity is computed
 * @param copies replicas of a block, 1 or 2
 * @param commit how an iteration is committed
 */
@PublicApi
public record Redundancy(int k, int parities, Parity parity, int copies, CommitMode commit) implements Serializable {
    public Redundancy {
        if (k < 1 || parities < 0 || parities > 1 || (parities == 0 && k > 1) || copies < 1 || copies > 2) {
            throw new IllegalArgumentException(
                    "k must be at least 1, and 1 without parity; parities must be 0 or 1, and copies of a block 1 or 2, got k = "
                            + k + ", " + parities + " parities and " + copies + " copies");
        }
    }

    /**
     * Returns exact parity for every k rows, two replicas of blocks and two-phase commit. Any one server may fail, and
     * nothing is lost.
     *
     * @param k rows of a stripe, at least 1
     */
    public static Redundancy coded(int k) {
        return new Redundancy(k, 1, Parity.XOR, 2, CommitMode.TWO_PHASES);
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
