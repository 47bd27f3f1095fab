/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.spark.driver.Attempt;
import io.paritas.inference.spark.driver.CoordinatorClient;
import io.paritas.inference.spark.driver.Help;
import io.paritas.inference.spark.driver.Layout;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.apache.spark.Dependency;
import org.apache.spark.NarrowDependency;
import org.apache.spark.Partition;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.rdd.DeterministicLevel;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.plans.logical.DeserializeToObject;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SQLExecution;
import scala.Enumeration;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/** Rows with their answers: one partition for each segment. */
public final class SegmentRDD extends RDD<InternalRow> {
    private static final long serialVersionUID = 1;

    private final PredictionPlan plan;
    private final CodingSpec coding;
    private final SegmentSource source;
    private final AllPartitions all;
    private final boolean compared;

    private SegmentRDD(RDD<InternalRow> parent, PredictionPlan plan, CodingSpec coding, SegmentSource source) {
        super(parent.context(), dependency(parent, source), ClassTag$.MODULE$.apply(InternalRow.class));
        this.plan = plan;
        this.coding = coding;
        this.source = source;
        this.all = AllPartitions.of(parent);
        this.compared = staysInQuery(parent.context());
    }

    private static boolean staysInQuery(SparkContext context) {
        String id = context.getLocalProperty(SQLExecution.EXECUTION_ID_KEY());
        QueryExecution query = id == null ? null : SQLExecution.getQueryExecution(Long.parseLong(id));
        return query != null && !(query.logical() instanceof DeserializeToObject);
    }

    /**
     * Which rows are reconstructed depends on which tasks are late. Within a query, Spark compares a checksum of what tasks write for an
     * exchange with what they wrote before. Where the answers become an RDD, its shuffles have none: all of a shuffle is made again.
     */
    @Override
    public Enumeration.Value getOutputDeterministicLevel() {
        return compared ? super.getOutputDeterministicLevel() : DeterministicLevel.INDETERMINATE();
    }

    /** Answers batches that {@link CodingGroups} formed and an exchange placed. */
    public static SegmentRDD exchanged(RDD<InternalRow> batches, PredictionPlan plan, CodingSpec coding) {
        Layout layout = coding.layout();
        if (batches.getNumPartitions() != (1 + layout.r()) * layout.segments()) {
            throw new IllegalArgumentException(
                    "the exchange must have a partition for the data and each parity of every segment of " + layout
                            + ", it has " + batches.getNumPartitions());
        }
        return new SegmentRDD(
                batches,
                plan,
                coding,
                new ExchangedBatches(layout, plan.rows().columns().length()));
    }

    /** Answers rows without an exchange. A partition must always return its rows in the same order. */
    public static SegmentRDD inPlace(RDD<InternalRow> rows, PredictionPlan plan, CodingSpec coding) {
        return new SegmentRDD(rows, plan, coding, new LocalBatches(rows.getNumPartitions(), plan.rows(), coding));
    }

    private static Seq<Dependency<?>> dependency(RDD<InternalRow> parent, SegmentSource source) {
        return Attributes.seq(List.of(new SegmentDependency(parent, source)));
    }

    private static final class SegmentDependency extends NarrowDependency<InternalRow> {
        private static final long serialVersionUID = 1;

        private final SegmentSource source;

        SegmentDependency(RDD<InternalRow> parent, SegmentSource source) {
            super(parent);
            this.source = source;
        }

        @Override
        public Seq<Object> getParents(int segment) {
            return Attributes.seq(source.partitions(segment));
        }
    }

    /** A segment, with the partitions that it reads. */
    private record SegmentPartition(int index, List<Partition> parents) implements Partition {
        private static final long serialVersionUID = 1;

        SegmentPartition {
            parents = new ArrayList<>(parents);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof SegmentPartition segment && segment.index == index;
        }

        @Override
        public int hashCode() {
            return index;
        }

        /** Scala's trait requires this of a class that overrides equals. */
        @SuppressWarnings({"MemberName", "UnusedMethod"})
        public boolean org$apache$spark$Partition$$super$equals(Object other) {
            return equals(other);
        }
    }

    @Override
    public Partition[] getPartitions() {
        Partition[] all = parent().partitions();
        Partition[] segments = new Partition[coding.layout().segments()];
        for (int segment = 0; segment < segments.length; segment++) {
            segments[segment] = new SegmentPartition(
                    segment,
                    source.partitions(segment).stream()
                            .map(partition -> all[partition])
                            .toList());
        }
        return segments;
    }

    @Override
    public scala.collection.Iterator<InternalRow> compute(Partition split, TaskContext task) {
        SegmentPartition segment = (SegmentPartition) split;
        PluginContext plugin = ExecutorSide.plugin()
                .orElseThrow(() -> new IllegalStateException("executors need the plugin of the driver: start the"
                        + " application with spark.plugins=io.paritas.spark.ParitasPlugin"));
        CoordinatorClient coordinator = new CoordinatorClient(
                plugin, Attempt.of(task, id(), segment.index), coding.layout(), coding.late(), nanos -> plan.metrics()
                        .add(Metrics.Metric.WAIT_TIME, nanos));
        IntFunction<Iterator<InternalRow>> rows = rows(segment.parents, task);
        SegmentTask attempt = new SegmentTask(
                new Assignment(task, segment.index, plan, coding, coordinator),
                () -> source.data(segment.index, rows),
                wanted -> open(wanted, wanted.segment() == segment.index ? rows : rows(wanted.segment(), task)));
        return CollectionConverters.asScala(
                new FlattenedRows(attempt::answer, new RowWriter(plan.rows(), plan.metrics()), task));
    }

    private Iterator<Batch> open(Help.Work wanted, IntFunction<Iterator<InternalRow>> rows) {
        return wanted instanceof Help.Parity parity
                ? source.parity(parity.segment(), parity.number(), rows)
                : source.data(wanted.segment(), rows);
    }

    /** The rows of another segment, by the places of its partitions. */
    private IntFunction<Iterator<InternalRow>> rows(int segment, TaskContext task) {
        List<Integer> partitions = source.partitions(segment);
        return place -> CollectionConverters.asJava(parent().iterator(all.get(parent(), partitions.get(place)), task));
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
            // Once: whoever gave up half-way and comes again needs all rows.
            Iterator<InternalRow> first = opened.set(place, null);
            return first == null ? open.apply(place) : first;
        };
    }

    @SuppressWarnings("unchecked")
    private RDD<InternalRow> parent() {
        return (RDD<InternalRow>) ((NarrowDependency<?>) dependencies().apply(0)).rdd();
    }
}
