/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import org.apache.spark.Partition;

/** A partition that is known by its number, with whatever its task needs. */
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

    /** What Scala's trait wants of a class that has equals. */
    @SuppressWarnings({"MemberName", "UnusedMethod"})
    public boolean org$apache$spark$Partition$$super$equals(Object other) {
        return equals(other);
    }
}
