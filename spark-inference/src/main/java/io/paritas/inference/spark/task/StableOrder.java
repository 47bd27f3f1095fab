/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.spark.SparkEnv;
import org.apache.spark.rdd.DeterministicLevel$;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.RecordBinaryComparator;
import org.apache.spark.sql.execution.UnsafeExternalRowSorter;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/**
 * Sorts the rows of each partition by their bytes if they come from an exchange. Otherwise their order could change
 * when the partition is computed again, and a row could be lost or answered twice. Spark does the same before it
 * spreads rows evenly. The same property, {@code spark.sql.execution.sortBeforeRepartition}, turns it off.
 */
final class StableOrder {
    private StableOrder() {}

    /** Whether the order of the rows may change, and sorting is not turned off. */
    static boolean isNeeded(RDD<InternalRow> rows) {
        return !DeterministicLevel$.MODULE$.DETERMINATE().equals(rows.outputDeterministicLevel())
                && SQLConf.get().sortBeforeRepartition();
    }

    static RDD<InternalRow> of(RDD<InternalRow> rows, StructType schema) {
        return rows.mapPartitionsInternal(new Sort(schema), true, ClassTag$.MODULE$.apply(InternalRow.class));
    }

    private static final class Sort implements SerializableFunction<Iterator<InternalRow>, Iterator<InternalRow>> {
        private static final long serialVersionUID = 1;

        private final StructType schema;

        Sort(StructType schema) {
            this.schema = schema;
        }

        @Override
        public Iterator<InternalRow> apply(Iterator<InternalRow> rows) {
            try {
                UnsafeExternalRowSorter sorter = UnsafeExternalRowSorter.createWithRecordComparator(
                        schema,
                        RecordBinaryComparator::new,
                        PrefixComparators.LONG,
                        new HashCode(),
                        SparkEnv.get().memoryManager().pageSizeBytes(),
                        false);
                UnsafeProjection unsafe = UnsafeProjection.create(schema);
                java.util.Iterator<InternalRow> each = CollectionConverters.asJava(rows);
                while (each.hasNext()) {
                    InternalRow row = each.next();
                    sorter.insertRow(row instanceof UnsafeRow bytes ? bytes : unsafe.apply(row));
                }
                return sorter.sort();
            } catch (IOException e) {
                throw new UncheckedIOException("the rows cannot be sorted: " + e.getMessage(), e);
            }
        }
    }

    private static final class HashCode extends UnsafeExternalRowSorter.PrefixComputer {
        private final Prefix prefix = new Prefix();

        @Override
        public Prefix computePrefix(InternalRow row) {
            prefix.isNull = false;
            prefix.value = row.hashCode();
            return prefix;
        }
    }
}
