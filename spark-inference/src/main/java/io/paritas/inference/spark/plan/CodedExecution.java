/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.parity.Combinations;
import io.paritas.inference.parity.ParityModels;
import io.paritas.inference.spark.SparkSetting;
import io.paritas.inference.spark.driver.Layout;
import io.paritas.inference.spark.driver.Layout.Placement;
import io.paritas.inference.spark.task.Attributes;
import io.paritas.inference.spark.task.Coding;
import io.paritas.inference.spark.task.CodingGroups;
import io.paritas.inference.spark.task.ModelSource;
import io.paritas.inference.spark.task.PredictionPlan;
import io.paritas.inference.spark.task.UnitRDD;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkContext;
import org.apache.spark.rdd.DeterministicLevel$;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.DirectShufflePartitionID;
import org.apache.spark.sql.catalyst.plans.physical.ShufflePartitionIdPassThrough;
import org.apache.spark.sql.execution.ShuffledRowRDD;
import org.apache.spark.sql.execution.UnsafeRowSerializer;
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec$;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.execution.metric.SQLMetrics;
import org.apache.spark.sql.execution.metric.SQLShuffleReadMetricsReporter;
import org.apache.spark.sql.execution.metric.SQLShuffleWriteMetricsReporter;
import org.apache.spark.sql.types.StructType;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A coded prediction as Spark runs it: a stage that forms coding groups, an exchange that places their batches by unit, and
 * the units, in the stage of whatever comes after them. The exchange belongs to the operator, not to the plan: only when it
 * runs is it known into how many partitions the rows are cut.
 */
final class CodedExecution {
    private static final String DATA_SIZE = "dataSize";
    private static final int NANOS = 1_000_000_000;

    private CodedExecution() {}

    static RDD<InternalRow> of(
            RDD<InternalRow> rows,
            StructType schema,
            Prepared prepared,
            PredictionPlan plan,
            Map<String, SQLMetric> metrics) {
        boolean exchange = prepared.options().word(SparkSetting.EXCHANGE, Exchange.class) == Exchange.ALWAYS;
        Coding coding = coding(prepared, rows.context(), rows.getNumPartitions(), exchange);
        if (exchange) {
            return UnitRDD.exchanged(
                    exchange(CodingGroups.of(rows, schema, plan, coding), coding.layout(), metrics), plan, coding);
        }
        if (!DeterministicLevel$.MODULE$.DETERMINATE().equals(rows.outputDeterministicLevel())) {
            throw new IllegalArgumentException(SparkSetting.EXCHANGE.key() + " can be never only where rows always come"
                    + " in the same order, as from files; these come from an exchange: leave it at always");
        }
        return UnitRDD.inPlace(rows, plan, coding);
    }

    private static Coding coding(Prepared prepared, SparkContext context, int partitions, boolean exchange) {
        ParityModels parity = prepared.parity().orElseThrow();
        Options options = prepared.options();
        Combinations code = parity.plan().code();
        int r = Prepared.r(parity, options);
        List<ModelSource> models = new ArrayList<>();
        for (int j = 0; j < r; j++) {
            models.add(prepared.source("parity-" + j + " of " + prepared.path(), parity.model(j), context));
        }
        int units = Prepared.units(parity, options);
        int stripes = (Math.max(1, partitions) + code.k() - 1) / code.k();
        Layout layout = new Layout(
                code.k(),
                r,
                exchange && units > 0 ? units : stripes * (code.k() + r),
                exchange ? Placement.ROTATED : Placement.SEPARATE,
                options.number(SparkSetting.SHARE, 0, 1));
        return new Coding(
                parity.plan(),
                prepared.input().shape(),
                models,
                layout,
                options.number(SparkSetting.PATIENCE, 1, Double.MAX_VALUE),
                (long) (options.number(SparkSetting.DEADLINE, 0, Double.MAX_VALUE) * NANOS));
    }

    private static RDD<InternalRow> exchange(RDD<InternalRow> groups, Layout layout, Map<String, SQLMetric> metrics) {
        List<Attribute> attributes = CodingGroups.attributes();
        scala.collection.immutable.Map<String, SQLMetric> counted =
                scala.collection.immutable.Map.from(CollectionConverters.asScala(metrics));
        ShuffleDependency<Object, InternalRow, InternalRow> dependency =
                ShuffleExchangeExec$.MODULE$.prepareShuffleDependency(
                        groups,
                        Attributes.seq(attributes),
                        new ShufflePartitionIdPassThrough(
                                new DirectShufflePartitionID(attributes.get(0)), (1 + layout.r()) * layout.units()),
                        new UnsafeRowSerializer(attributes.size(), metrics.get(DATA_SIZE)),
                        counted);
        return new ShuffledRowRDD(dependency, counted);
    }

    /** What Spark counts of the exchange. */
    static Map<String, SQLMetric> exchangeMetrics(SparkContext context) {
        Map<String, SQLMetric> metrics = new HashMap<>();
        metrics.put(DATA_SIZE, SQLMetrics.createSizeMetric(context, "data size", 0));
        metrics.putAll(CollectionConverters.asJava(SQLShuffleWriteMetricsReporter.createShuffleWriteMetrics(context)));
        metrics.putAll(CollectionConverters.asJava(SQLShuffleReadMetricsReporter.createShuffleReadMetrics(context)));
        return metrics;
    }
}
