/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.erasure.CodeName;
import io.paritas.erasure.ErasureCode;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.util.io.ChunkedByteBuffer;

/**
 * How tasks read and make units. To Spark, units are the cached blocks of two RDDs, one for data and one for parity: it moves
 * them when an executor is decommissioned, and drops them when they are unpersisted.
 *
 * <p>The driver has a block for as long as these stripes are those of the rows. A job may outlive them: its tasks still read,
 * but what they make is not stored any more, and what they find is not theirs to drop.
 *
 * @param codeName name of the code
 * @param data id of the RDD whose partitions are the data units
 * @param parity id of the RDD whose blocks are the parity units
 * @param edition number of that block, one of the parity's
 * @param fetchTimeoutMillis how long to wait for a unit before others are used
 * @param metrics counters of what tasks do
 */
record Access(String codeName, int data, int parity, int edition, long fetchTimeoutMillis, UnitMetrics metrics)
        implements Serializable {

    /** The code, with this JVM's kernel. */
    ErasureCode code() {
        return CodeName.parse(codeName).erasureCode();
    }

    Access withEdition(int other) {
        return new Access(codeName, data, parity, other, fetchTimeoutMillis, metrics);
    }

    /** Makes the stripes current. On the driver. */
    void begin(UnitStore driver) {
        driver.put(editionBlock(), new ChunkedByteBuffer(ByteBuffer.allocate(1)));
    }

    /** Makes the stripes outdated. On the driver. */
    void end(UnitStore driver) {
        driver.remove(editionBlock());
    }

    /** Whether the stripes are those of the rows; asks the driver. */
    boolean isCurrent(UnitStore store) {
        return !store.locations(editionBlock()).get(0).isEmpty();
    }

    private BlockId editionBlock() {
        return new RDDBlockId(parity, edition);
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
