/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import org.apache.spark.Partition;

/** A partition with its number and the work of its task. */
record NumberedPartition<W>(int index, W work) implements Partition {
    private static final long serialVersionUID = 1;

    NumberedPartition(int index) {
        this(index, null);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NumberedPartition<?> partition && partition.index == index;
    }

    @Override
    public int hashCode() {
        return index;
    }

    /** Required by Scala's trait of a class that overrides equals. */
    @SuppressWarnings({"MemberName", "UnusedMethod"})
    public boolean org$apache$spark$Partition$$super$equals(Object other) {
        return equals(other);
    }
}
