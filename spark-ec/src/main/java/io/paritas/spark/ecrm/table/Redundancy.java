/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import java.io.Serializable;

/**
 * What protects a model from the loss of a server. Immutable.
 *
 * @param k rows of a stripe, at least 1; 1 if there is no parity
 * @param parities of a stripe: 1, or 0 for none
 * @param parity how rows become their parity
 * @param copies servers that have a block of the neural network: 2, or 1
 * @param commit how an iteration is committed
 */
public record Redundancy(int k, int parities, Parity parity, int copies, Commit commit) implements Serializable {
    public Redundancy {
        if (k < 1 || parities < 0 || parities > 1 || (parities == 0 && k > 1) || copies < 1 || copies > 2) {
            throw new IllegalArgumentException(
                    "k rows, at least 1, have one parity, or 1 row has none, and a block is on one server "
                            + "or two, but k is " + k + ", with " + parities + " parities, and a block is on "
                            + copies);
        }
    }

    /** k rows and their exact parity; blocks on two servers; two phases. Any one server may fail, and nothing is lost. */
    public static Redundancy coded(int k) {
        return new Redundancy(k, 1, Parity.XOR, 2, Commit.TWO_PHASES);
    }

    /** As {@link #coded}, but a whole copy of each row instead of parity. */
    public static Redundancy replicated() {
        return coded(1);
    }

    /**
     * Nothing is there twice, and an iteration is committed in one phase, as in parameter servers without fault tolerance. If a server fails,
     * all servers go back to the last checkpoint; if there is none, its rows and blocks are lost.
     */
    public static Redundancy none() {
        return new Redundancy(1, 0, Parity.XOR, 1, Commit.ONE_PHASE);
    }

    /** With another parity. */
    public Redundancy parity(Parity other) {
        return new Redundancy(k, parities, other, copies, commit);
    }

    /** Blocks on one server: they are lost with it. */
    public Redundancy oneReplicaOfBlocks() {
        return new Redundancy(k, parities, parity, 1, commit);
    }

    /** With {@link Commit#ONE_PHASE}. */
    public Redundancy onePhase() {
        return new Redundancy(k, parities, parity, copies, Commit.ONE_PHASE);
    }

    /** Whether the loss of a server is the loss of rows. */
    public boolean isNone() {
        return parities == 0;
    }

    public boolean isOnePhase() {
        return commit == Commit.ONE_PHASE;
    }
}
