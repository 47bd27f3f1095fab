/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.erasure.CodeName;
import io.paritas.erasure.ErasureCode;
import java.io.Serializable;
import java.util.Arrays;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.RDDBlockId;

/**
 * What a task has to know to read units and to make others. To Spark, units are the cached blocks of two RDDs, one for the data
 * and one for the parity: so it moves them when an executor is decommissioned, and drops them when they are unpersisted.
 *
 * @param codeName the code
 * @param data id of the RDD whose partitions the data units are
 * @param parity id of the RDD whose blocks the parity units are
 * @param patienceMillis how long a unit is waited for before others are looked for
 * @param metrics what befell units
 */
record Access(String codeName, int data, int parity, long patienceMillis, UnitMetrics metrics) implements Serializable {

    /** The code, on this JVM's kernel. */
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
