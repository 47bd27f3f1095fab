/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import java.io.Serializable;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.util.io.ChunkedByteBuffer;
import scala.collection.Iterator;
import scala.reflect.ClassTag;
import scala.runtime.AbstractFunction2;

/** Stores a partition on the executor that computed it; what a task does. */
final class Storing<T> extends AbstractFunction2<TaskContext, Iterator<T>, StoredUnit> implements Serializable {
    private static final long serialVersionUID = 1;

    private final int rdd;
    private final ClassTag<T> type;

    Storing(int rdd, ClassTag<T> type) {
        this.rdd = rdd;
        this.type = type;
    }

    @Override
    public StoredUnit apply(TaskContext task, Iterator<T> rows) {
        RDDBlockId block = new RDDBlockId(rdd, task.partitionId());
        ChunkedByteBuffer bytes = UnitWriter.serialise(block, rows, type, UnitWriter.LIMIT);
        StoredUnit unit = StoredUnit.of(List.of(bytes.getChunks()));
        if (unit.length() > 0) {
            UnitStore store = new UnitStore();
            store.remove(block);
            store.put(block, bytes);
        }
        return unit;
    }
}
