/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.spark.driver.Layout;
import io.paritas.inference.spark.driver.Messages;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
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

/** Rows with their answers, a partition for each unit. */
public final class UnitRDD extends RDD<InternalRow> {
    private static final long serialVersionUID = 1;

    private final PredictionPlan plan;
    private final Coding coding;
    private final UnitSource source;

    private UnitRDD(RDD<InternalRow> parent, PredictionPlan plan, Coding coding, UnitSource source) {
        super(parent.context(), dependency(parent, source), ClassTag$.MODULE$.apply(InternalRow.class));
        this.plan = plan;
        this.coding = coding;
        this.source = source;
    }

    /** Answers what {@link CodingGroups} formed and an exchange has placed. */
    public static UnitRDD exchanged(RDD<InternalRow> batches, PredictionPlan plan, Coding coding) {
        Layout layout = coding.layout();
        if (batches.getNumPartitions() != (1 + layout.r()) * layout.units()) {
            throw new IllegalArgumentException(
                    "the exchange must have a partition for the data and each parity of every" + " unit of " + layout
                            + ", it has " + batches.getNumPartitions());
        }
        return new UnitRDD(
                batches,
                plan,
                coding,
                new Exchanged(layout, plan.rows().columns().length()));
    }

    /** Answers rows where they are; those of a partition must always come in the same order. */
    public static UnitRDD inPlace(RDD<InternalRow> rows, PredictionPlan plan, Coding coding) {
        return new UnitRDD(rows, plan, coding, new InPlace(rows.getNumPartitions(), plan.rows(), coding));
    }

    private static Seq<Dependency<?>> dependency(RDD<InternalRow> parent, UnitSource source) {
        return Attributes.seq(List.of(new UnitDependency(parent, source)));
    }

    private static final class UnitDependency extends NarrowDependency<InternalRow> {
        private static final long serialVersionUID = 1;

        private final UnitSource source;

        UnitDependency(RDD<InternalRow> parent, UnitSource source) {
            super(parent);
            this.source = source;
        }

        @Override
        public Seq<Object> getParents(int unit) {
            return Attributes.seq(source.partitions(unit));
        }
    }

    /** A unit, with the partitions that it reads. */
    private record UnitPartition(int index, List<Partition> parents) implements Partition {
        private static final long serialVersionUID = 1;

        UnitPartition {
            parents = new ArrayList<>(parents);
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
        Partition[] all = parent().partitions();
        Partition[] units = new Partition[coding.layout().units()];
        for (int unit = 0; unit < units.length; unit++) {
            units[unit] = new UnitPartition(
                    unit,
                    source.partitions(unit).stream()
                            .map(partition -> all[partition])
                            .toList());
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
        IntFunction<Iterator<InternalRow>> rows = rows(unit.parents, task);
        UnitTask attempt = new UnitTask(
                task,
                unit.index,
                plan,
                coding,
                messages,
                () -> source.data(unit.index, rows),
                parity -> source.parity(unit.index, parity, rows));
        return CollectionConverters.asScala(
                new Flat(attempt.answer(), new RowWriter(plan.rows(), plan.metrics()), task));
    }

    private IntFunction<Iterator<InternalRow>> rows(List<Partition> parents, TaskContext task) {
        IntFunction<Iterator<InternalRow>> open =
                place -> CollectionConverters.asJava(parent().iterator(parents.get(place), task));
        if (!source.opensAll()) {
            return open;
        }
        List<Iterator<InternalRow>> opened = new ArrayList<>();
        return place -> {
            if (opened.isEmpty()) {
                IntStream.range(0, parents.size()).mapToObj(open).forEach(opened::add);
            }
            return opened.get(place);
        };
    }

    @SuppressWarnings("unchecked")
    private RDD<InternalRow> parent() {
        return (RDD<InternalRow>) ((NarrowDependency<?>) dependencies().apply(0)).rdd();
    }
}
