/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import io.paritas.PublicApi;

/** How an iteration is committed on all servers that it touches (thesis, 5.3.5). */
@PublicApi
public enum CommitMode {
    /** All servers stage the updates, then all apply them: the iteration takes effect on all servers or on none. */
    TWO_PHASES,
    /**
     * Each server applies updates as they arrive and forwards them to its parity servers and second replicas. It
     * answers the worker when these have them too, so acknowledged iterations survive a failure. If a server or the
     * worker fails during an iteration, some servers may have its updates and others not.
     */
    ONE_PHASE
}
