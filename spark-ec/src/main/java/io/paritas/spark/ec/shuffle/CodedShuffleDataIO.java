/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import org.apache.spark.SparkConf;
import org.apache.spark.shuffle.api.ShuffleDriverComponents;
import org.apache.spark.shuffle.sort.io.LocalDiskShuffleDataIO;
import org.apache.spark.shuffle.sort.io.LocalDiskShuffleDriverComponents;

/**
 * Spark's files on local disks, which count as reliable: Spark does not take map outputs for lost with their executor. Whoever sees
 * the executor go removes those that cannot be decoded: {@link ShuffleCoding#executorLost}. The driver's plugin sets it.
 */
public final class CodedShuffleDataIO extends LocalDiskShuffleDataIO {

    /** Creates the storage; Spark does so by name. */
    public CodedShuffleDataIO(SparkConf conf) {
        super(conf);
    }

    @Override
    public ShuffleDriverComponents driver() {
        return new Reliable();
    }

    private static final class Reliable extends LocalDiskShuffleDriverComponents {
        @Override
        public boolean supportsReliableStorage() {
            return true;
        }
    }
}
