/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

/**
 * What is kept of something that is erasure-coded.
 *
 * @param partitions how many it has
 * @param stripes that they form
 * @param dataBytes of all partitions, serialised
 * @param parityBytes of all parity units
 * @param missingUnits how many units nobody has, until they are repaired
 * @param brokenStripes that cannot be decoded, until their partitions are computed again
 * @param survives how many more executors may be lost before a stripe cannot be decoded, if none of its units is missing
 */
public record Health(
        int partitions,
        int stripes,
        long dataBytes,
        long parityBytes,
        int missingUnits,
        int brokenStripes,
        int survives) {

    /** What is stored in relation to the data. */
    public double overhead() {
        return dataBytes == 0 ? 1 : (double) (dataBytes + parityBytes) / dataBytes;
    }
}
