/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.types.StructType;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction2;

/** Forms coding groups from rows: batches of data and of parity, ready for the exchange. */
public final class CodingGroups {
    private CodingGroups() {}

    /** The columns that cross the exchange; the first is the partition to go to. */
    public static List<Attribute> attributes() {
        return Batch.attributes();
    }

    /**
     * Forms coding groups from rows. The order of the rows decides which segment each goes to. Rows without a stable
     * order are sorted; all others are declared to Spark as sensitive to their order.
     */
    public static RDD<InternalRow> of(
            RDD<InternalRow> rows, StructType schema, PredictionPlan plan, CodingSpec coding) {
        boolean sort = StableOrder.isNeeded(rows);
        return (sort ? StableOrder.of(rows, schema) : rows)
                .mapPartitionsWithIndex(
                        new Form(plan.rows(), coding), false, !sort, ClassTag$.MODULE$.apply(InternalRow.class));
    }

    private static final class Form
            extends AbstractFunction2<
                    Object, scala.collection.Iterator<InternalRow>, scala.collection.Iterator<InternalRow>>
            implements Serializable {
        private static final long serialVersionUID = 1;

        private final RowPlan plan;
        private final CodingSpec coding;

        Form(RowPlan plan, CodingSpec coding) {
            this.plan = plan;
            this.coding = coding;
        }

        @Override
        public scala.collection.Iterator<InternalRow> apply(
                Object partition, scala.collection.Iterator<InternalRow> rows) {
            Iterator<InternalRow> formed = new GroupFormer(
                    (Integer) partition, CollectionConverters.asJava(rows), plan, coding, TaskContext.get());
            UnsafeProjection unsafe = UnsafeProjection.create(Batch.types());
            return CollectionConverters.asScala(new Iterator<>() {
                @Override
                public boolean hasNext() {
                    return formed.hasNext();
                }

                @Override
                public InternalRow next() {
                    return unsafe.apply(formed.next());
                }
            });
        }
    }
}
