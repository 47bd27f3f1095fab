/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.ModelFile;
import io.paritas.inference.parity.GroupCode;
import io.paritas.inference.parity.PredictionCode;
import io.paritas.inference.parity.ResidualBound;
import io.paritas.inference.spark.driver.LatePolicy;
import io.paritas.inference.spark.driver.Layout;
import io.paritas.inference.spark.driver.Layout.Placement;
import io.paritas.inference.spark.driver.ParityStart;
import io.paritas.inference.spark.screen.ScreeningBounds;
import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.inference.spark.task.Attributes;
import io.paritas.inference.spark.task.CodingGroups;
import io.paritas.inference.spark.task.CodingSpec;
import io.paritas.inference.spark.task.ModelSource;
import io.paritas.inference.spark.task.PredictionPlan;
import io.paritas.inference.spark.task.SegmentRDD;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.execution.ShuffledRowRDD;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.UnsafeRowSerializer;
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec$;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.execution.metric.SQLMetrics;
import org.apache.spark.sql.execution.metric.SQLShuffleReadMetricsReporter;
import org.apache.spark.sql.execution.metric.SQLShuffleWriteMetricsReporter;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Runs a coded prediction: a stage that forms coding groups, an exchange that places their batches by segment, and the
 * segments, in the stage of the operators above. The exchange belongs to the operator and not to the plan, because the
 * number of partitions of the rows is known only when the operator runs.
 */
final class CodedExecution {
    private static final String DATA_SIZE = "dataSize";

    private CodedExecution() {}

    static RDD<InternalRow> of(
            RDD<InternalRow> rows,
            SparkPlan below,
            ExchangeChoice choice,
            ResolvedCall resolved,
            PredictionPlan plan,
            Map<String, SQLMetric> metrics) {
        CodingSpec coding = coding(resolved, rows, below, choice.exchanged());
        if (choice.exchanged()) {
            RDD<InternalRow> groups = CodingGroups.of(rows, below.schema(), plan, coding);
            return SegmentRDD.exchanged(exchange(groups, coding.layout(), metrics), plan, coding);
        }
        return SegmentRDD.inPlace(rows, plan, coding);
    }

    private static CodingSpec coding(ResolvedCall resolved, RDD<InternalRow> rows, SparkPlan below, boolean exchange) {
        SparkContext context = rows.context();
        PredictionCode parity = resolved.parity().orElseThrow();
        Options options = resolved.options();
        GroupCode code = parity.plan();
        int r = ResolvedCall.r(parity, options);
        List<ModelSource> models = new ArrayList<>();
        for (int j = 0; j < r; j++) {
            ModelFile answering = parity.answering(j, resolved.model().file());
            models.add(resolved.source("parity-" + j + " of " + resolved.model().path(), answering, context));
        }
        Map<String, ModelSource> networks = new HashMap<>();
        parity.networks()
                .forEach((role, network) -> networks.put(
                        role, resolved.network(role + " of " + resolved.model().path(), network, context)));
        int wanted = ResolvedCall.segments(parity, options);
        boolean areSegments = exchange
                ? areSegments(rows)
                : StackedCalls.below(below)
                        .filter(answers -> answers.hasCode(code.k(), r))
                        .isPresent();
        Layout layout = new Layout(
                code.k(),
                r,
                exchange && wanted > 0 ? wanted : segments(rows, code.k(), r, areSegments),
                exchange ? Placement.ROTATED : Placement.SEPARATE,
                options.get(CodedSettings.SHARE));
        ResidualBound bound = ScreeningBounds.bound(parity, context.conf());
        ParityStart start = bound.isKnown() ? ParityStart.IDLE : ParityStart.LATE; // screening compares with parity
        return new CodingSpec(
                code,
                resolved.model().input().shape(),
                parity.range(),
                models,
                networks,
                layout,
                new LatePolicy(options.get(CodedSettings.PATIENCE), options.get(CodedSettings.DEADLINE), start),
                bound);
    }

    /** A stripe for k partitions. Those of another coded call are segments already: with r more for each k, each call would multiply them. */
    private static int segments(RDD<InternalRow> rows, int k, int r, boolean areSegments) {
        int partitions = Math.max(1, rows.getNumPartitions());
        int inStripe = areSegments ? k + r : k;
        return (partitions + inStripe - 1) / inStripe * (k + r);
    }

    private static boolean areSegments(RDD<InternalRow> rows) {
        return rows instanceof SegmentRDD || rows.getNarrowAncestors().exists(below -> below instanceof SegmentRDD);
    }

    private static RDD<InternalRow> exchange(RDD<InternalRow> groups, Layout layout, Map<String, SQLMetric> metrics) {
        List<Attribute> attributes = CodingGroups.attributes();
        scala.collection.immutable.Map<String, SQLMetric> counted =
                scala.collection.immutable.Map.from(CollectionConverters.asScala(metrics));
        ShuffleDependency<Object, InternalRow, InternalRow> dependency =
                ShuffleExchangeExec$.MODULE$.prepareShuffleDependency(
                        groups,
                        Attributes.seq(attributes),
                        new SegmentPartitioning(attributes.get(0), (1 + layout.r()) * layout.segments()),
                        new UnsafeRowSerializer(attributes.size(), metrics.get(DATA_SIZE)),
                        counted);
        return new ShuffledRowRDD(dependency, counted);
    }

    /** Creates Spark's metrics of the exchange. */
    static Map<String, SQLMetric> exchangeMetrics(SparkContext context) {
        Map<String, SQLMetric> metrics = new HashMap<>();
        metrics.put(DATA_SIZE, SQLMetrics.createSizeMetric(context, "data size", 0));
        metrics.putAll(CollectionConverters.asJava(SQLShuffleWriteMetricsReporter.createShuffleWriteMetrics(context)));
        metrics.putAll(CollectionConverters.asJava(SQLShuffleReadMetricsReporter.createShuffleReadMetrics(context)));
        return metrics;
    }
}
