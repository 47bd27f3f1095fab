/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.types.StructType;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction2;

/** The batches of rows, and their parity, ready for the exchange. */
public final class CodingGroups {
    private CodingGroups() {}

    /** What crosses the exchange, as columns; the first is the partition where it goes. */
    public static List<Attribute> attributes() {
        return Batch.attributes();
    }

    /**
     * Forms coding groups from rows. Which unit a row comes to depends on the order of the rows, so they are sorted where it is
     * not stable, or Spark is told.
     */
    public static RDD<InternalRow> of(RDD<InternalRow> rows, StructType schema, PredictionPlan plan, Coding coding) {
        boolean sort = StableOrder.isNeeded(rows);
        return (sort ? StableOrder.of(rows, schema) : rows)
                .mapPartitionsWithIndexInternal(
                        new Form(plan.rows(), coding), false, !sort, false, ClassTag$.MODULE$.apply(InternalRow.class));
    }

    private static final class Form
            extends AbstractFunction2<
                    Object, scala.collection.Iterator<InternalRow>, scala.collection.Iterator<InternalRow>>
            implements Serializable {
        private static final long serialVersionUID = 1;

        private final RowPlan plan;
        private final Coding coding;

        Form(RowPlan plan, Coding coding) {
            this.plan = plan;
            this.coding = coding;
        }

        @Override
        public scala.collection.Iterator<InternalRow> apply(
                Object partition, scala.collection.Iterator<InternalRow> rows) {
            Iterator<InternalRow> formed =
                    new GroupFormer((Integer) partition, CollectionConverters.asJava(rows), plan, coding);
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
