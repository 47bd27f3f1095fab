/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.spark.driver.Layout;
import io.paritas.inference.spark.driver.Messages;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.Dependency;
import org.apache.spark.NarrowDependency;
import org.apache.spark.Partition;
import org.apache.spark.TaskContext;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/**
 * Rows with their answers, a partition for each unit. A unit's data is the partition of that number of what was exchanged; its
 * parity j, which is seldom read, is the one 1 + j times the number of units behind it.
 */
public final class UnitRDD extends RDD<InternalRow> {
    private static final long serialVersionUID = 1;

    private final PredictionPlan plan;
    private final Coding coding;

    /** Answers what was exchanged. */
    public UnitRDD(RDD<InternalRow> exchanged, PredictionPlan plan, Coding coding) {
        super(exchanged.context(), dependency(exchanged, coding.layout()), ClassTag$.MODULE$.apply(InternalRow.class));
        if (exchanged.getNumPartitions()
                != (1 + coding.layout().r()) * coding.layout().units()) {
            throw new IllegalArgumentException(
                    "the exchange must have a partition for the data and each parity of every" + " unit of "
                            + coding.layout() + ", it has " + exchanged.getNumPartitions());
        }
        this.plan = plan;
        this.coding = coding;
    }

    private static Seq<Dependency<?>> dependency(RDD<InternalRow> exchanged, Layout layout) {
        return Attributes.seq(List.of(new UnitDependency(exchanged, layout)));
    }

    private static final class UnitDependency extends NarrowDependency<InternalRow> {
        private static final long serialVersionUID = 1;

        private final int r;
        private final int units;

        UnitDependency(RDD<InternalRow> exchanged, Layout layout) {
            super(exchanged);
            this.r = layout.r();
            this.units = layout.units();
        }

        @Override
        public Seq<Object> getParents(int unit) {
            List<Object> parents = new ArrayList<>();
            for (int part = 0; part <= r; part++) {
                parents.add(part * units + unit);
            }
            return Attributes.seq(parents);
        }
    }

    /** A unit. The exchange's partitions are its data and its parities. */
    private record UnitPartition(int index, List<Partition> exchanged) implements Partition {
        private static final long serialVersionUID = 1;

        UnitPartition {
            exchanged = new ArrayList<>(exchanged);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof UnitPartition unit && unit.index == index;
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

    @Override
    public Partition[] getPartitions() {
        Partition[] all = exchanged().partitions();
        Layout layout = coding.layout();
        Partition[] units = new Partition[layout.units()];
        for (int unit = 0; unit < units.length; unit++) {
            List<Partition> parts = new ArrayList<>();
            for (int part = 0; part <= layout.r(); part++) {
                parts.add(all[part * layout.units() + unit]);
            }
            units[unit] = new UnitPartition(unit, parts);
        }
        return units;
    }

    @Override
    public scala.collection.Iterator<InternalRow> compute(Partition split, TaskContext task) {
        UnitPartition unit = (UnitPartition) split;
        PluginContext plugin = ExecutorSide.plugin()
                .orElseThrow(() -> new IllegalStateException("executors need the plugin of the driver: start the"
                        + " application with spark.plugins=io.paritas.inference.spark.CodedInferencePlugin"));
        Messages messages = new Messages(
                plugin, id(), coding.layout(), coding.patience(), coding.deadlineNanos(), unit.index, task);
        UnitTask attempt = new UnitTask(
                task,
                unit.index,
                plan,
                coding,
                messages,
                batches(unit.exchanged.get(0), task),
                parity -> batches(unit.exchanged.get(1 + parity), task));
        return CollectionConverters.asScala(
                new Flat(attempt.answer(), new RowWriter(plan.rows(), plan.metrics()), task));
    }

    private Iterator<Batch> batches(Partition partition, TaskContext task) {
        int fields = plan.rows().columns().length();
        Iterator<InternalRow> records = CollectionConverters.asJava(exchanged().iterator(partition, task));
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return records.hasNext();
            }

            @Override
            public Batch next() {
                return Batch.of(records.next(), fields);
            }
        };
    }

    @SuppressWarnings("unchecked")
    private RDD<InternalRow> exchanged() {
        return (RDD<InternalRow>) ((NarrowDependency<?>) dependencies().apply(0)).rdd();
    }
}
