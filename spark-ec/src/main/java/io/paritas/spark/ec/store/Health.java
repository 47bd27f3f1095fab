/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.PublicApi;

/**
 * The state of an erasure-coded Dataset or RDD.
 *
 * @param partitions number of partitions
 * @param stripes number of stripes
 * @param dataBytes serialised length of all partitions, in bytes
 * @param parityBytes length of all parity units, in bytes
 * @param missingUnits units that no executor has, until they are repaired
 * @param brokenStripes stripes that cannot be decoded, until their partitions are computed again
 * @param survives executors that may be lost now, whichever they are, before a stripe cannot be decoded; hosts, if there is one
 *     for each unit of a stripe
 */
@PublicApi
public record Health(
        int partitions,
        int stripes,
        long dataBytes,
        long parityBytes,
        int missingUnits,
        int brokenStripes,
        int survives) {

    /** The stored bytes divided by those of the data, such as 1.25; 1 if there is no data. */
    public double overhead() {
        return dataBytes == 0 ? 1 : (double) (dataBytes + parityBytes) / dataBytes;
    }
}
