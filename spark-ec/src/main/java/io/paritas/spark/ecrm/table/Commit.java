/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

/** How the updates of an iteration come to all servers that they touch (thesis 5.3.5). */
public enum Commit {
    /** All stage them, and then all apply them: an iteration is committed at all servers or at none. */
    TWO_PHASES,
    /**
     * Each server applies them at once, and sends on what its parity servers and second replicas need. A worker is answered when these have
     * it too, so what is acknowledged survives. Of the iterations that are on their way when a server or their worker fails, some
     * servers may have the updates and others not.
     */
    ONE_PHASE
}
