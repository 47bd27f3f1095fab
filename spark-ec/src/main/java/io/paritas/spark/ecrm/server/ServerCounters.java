/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

/**
 * Counters of one server since it started.
 *
 * @param updatedRows updates of its rows
 * @param parityBytes bytes of the differences added to its parities
 * @param recoveredUnits units that it decoded from those of other servers
 * @param missingUnits units that it does not have now, lost ones included
 */
public record ServerCounters(long updatedRows, long parityBytes, long recoveredUnits, long missingUnits) {
    public static final ServerCounters NONE = new ServerCounters(0, 0, 0, 0);

    ServerCounters plus(ServerCounters other) {
        return new ServerCounters(
                updatedRows + other.updatedRows,
                parityBytes + other.parityBytes,
                recoveredUnits + other.recoveredUnits,
                missingUnits + other.missingUnits);
    }
}
