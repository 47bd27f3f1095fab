/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.spark.sql.catalyst.InternalRow;

/** Where the batches of the segments come from. Immutable. */
interface SegmentSource extends Serializable {

    /** The partitions that a segment reads. */
    List<Integer> partitions(int segment);

    /**
     * Whether a task opens all its partitions when it starts, so that data of other executors is on its way before one
     * of them dies or freezes.
     */
    boolean opensAll();

    /**
     * A segment's batches of data.
     *
     * @param rows opens one of the segment's partitions, by its place among them
     */
    Iterator<Batch> data(int segment, IntFunction<Iterator<InternalRow>> rows);

    /**
     * A segment's batches of a parity; called only if they are needed.
     *
     * @param rows opens one of the segment's partitions, by its place among them
     */
    Iterator<Batch> parity(int segment, int parity, IntFunction<Iterator<InternalRow>> rows);
}
