/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.spark.sql.catalyst.InternalRow;

/** Where the batches of the units come from. Immutable. */
interface UnitSource extends Serializable {

    /** The partitions that a unit reads. */
    List<Integer> partitions(int unit);

    /**
     * Whether a task opens all its partitions as it starts, so that what it needs of other executors is on its way before one of
     * them dies, or freezes.
     */
    boolean opensAll();

    /**
     * A unit's batches of data.
     *
     * @param rows of the unit's partitions, by their place among them
     */
    Iterator<Batch> data(int unit, IntFunction<Iterator<InternalRow>> rows);

    /**
     * A unit's batches of a parity; called only if they are needed.
     *
     * @param rows of the unit's partitions, by their place among them
     */
    Iterator<Batch> parity(int unit, int parity, IntFunction<Iterator<InternalRow>> rows);
}
