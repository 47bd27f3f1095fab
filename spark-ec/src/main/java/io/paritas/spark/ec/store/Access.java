/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.erasure.CodeName;
import io.paritas.erasure.ErasureCode;
import java.io.Serializable;
import java.util.Arrays;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.RDDBlockId;

/**
 * How tasks read and make units. To Spark, units are the cached blocks of two RDDs, one for data and one for parity: it moves
 * them when an executor is decommissioned, and drops them when they are unpersisted.
 *
 * @param codeName name of the code
 * @param data id of the RDD whose partitions are the data units
 * @param parity id of the RDD whose blocks are the parity units
 * @param fetchTimeoutMillis how long to wait for a unit before others are used
 * @param metrics counters of what tasks do
 */
record Access(String codeName, int data, int parity, long fetchTimeoutMillis, UnitMetrics metrics)
        implements Serializable {

    /** The code, with this JVM's kernel. */
    ErasureCode code() {
        return CodeName.parse(codeName).erasureCode();
    }

    BlockId block(int partition) {
        return new RDDBlockId(data, partition);
    }

    BlockId block(Stripe stripe, int unit) {
        return unit < stripe.k()
                ? block(stripe.partitions().get(unit))
                : new RDDBlockId(parity, stripe.firstParity() + unit - stripe.k());
    }

    BlockId[] blocks(Stripe stripe, int... units) {
        return Arrays.stream(units).mapToObj(unit -> block(stripe, unit)).toArray(BlockId[]::new);
    }
}
