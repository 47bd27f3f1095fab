/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.PublicApi;
import io.paritas.erasure.CodeName;
import io.paritas.erasure.ErasureCode;
import java.util.List;
import org.apache.spark.storage.BlockManagerId;

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

    /** What is missing of stripes now. */
    static Health of(StripeLayout layout, CodeName code, int partitions) {
        List<UnitLocations> all = UnitLocations.of(layout);
        ErasureCode erasureCode = code.erasureCode();
        UnitPlacement<BlockManagerId> placement = Cluster.placement(code);
        return new Health(
                partitions,
                layout.stripes().size(),
                layout.bytes(0, code.k()),
                layout.bytes(code.k(), code.n()),
                all.stream().mapToInt(where -> where.missing().size()).sum(),
                (int) all.stream().filter(where -> where.isBroken(erasureCode)).count(),
                all.stream()
                        .mapToInt(where -> placement.survives(
                                where.executors(), where.missing().size()))
                        .min()
                        .orElse(placement.survives()));
    }

    /** The stored bytes divided by those of the data, such as 1.25; 1 if there is no data. */
    public double overhead() {
        return dataBytes == 0 ? 1 : (double) (dataBytes + parityBytes) / dataBytes;
    }
}
