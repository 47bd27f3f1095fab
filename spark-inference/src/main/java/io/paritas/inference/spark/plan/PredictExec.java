/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.spark.driver.Coordinator;
import io.paritas.inference.spark.task.Attributes;
import io.paritas.inference.spark.task.CascadePrediction;
import io.paritas.inference.spark.task.Metrics;
import io.paritas.inference.spark.task.Metrics.Metric;
import io.paritas.inference.spark.task.PlainPrediction;
import io.paritas.inference.spark.task.PredictionPlan;
import io.paritas.spark.catalyst.UnaryCaseExec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.catalyst.util.package$;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.metric.SQLMetric;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Predicts the rows of a plan, coded or not. Public because Spark copies it by reflection. */
public final class PredictExec extends UnaryCaseExec {
    private static final long serialVersionUID = 1;

    private final Call call;
    private final Seq<Attribute> inputs;
    private final Seq<Attribute> columns;
    private final Attribute result;
    private final transient ResolvedCall resolved;

    private transient volatile ExchangeChoice chosen;

    /* Created once: Spark asks for them repeatedly and must get the same ones. */
    private transient Metrics metrics;
    private transient Map<String, SQLMetric> exchangeMetrics;
    private transient scala.collection.immutable.Map<String, SQLMetric> allMetrics;

    public PredictExec(
            SparkPlan child,
            Call call,
            Seq<Attribute> inputs,
            Seq<Attribute> columns,
            Attribute result,
            ResolvedCall resolved) {
        super(child);
        this.call = call;
        this.inputs = inputs;
        this.columns = columns;
        this.result = result;
        this.resolved = resolved;
    }

    boolean isCoded() {
        return resolved.parity().isPresent();
    }

    /** Whether it has run without an exchange. */
    boolean isInPlace() {
        return chosen != null && !chosen.exchanged();
    }

    /** Whether it is coded alike. */
    boolean hasCode(int k, int r) {
        return k() == k && r() == r;
    }

    /** Whether it fails rather than leave a row without a prediction. */
    boolean failsOnError() {
        return resolved.failsOnError();
    }

    List<Attribute> inputs() {
        return CollectionConverters.asJava(inputs);
    }

    /** The column of its answers. */
    Attribute result() {
        return result;
    }

    private int k() {
        return resolved.parity().orElseThrow().plan().k();
    }

    private int r() {
        return ResolvedCall.r(resolved.parity().orElseThrow(), resolved.options());
    }

    private boolean cascade() {
        return resolved.small().isPresent();
    }

    @Override
    public RDD<InternalRow> doExecute() {
        metrics();
        List<Attribute> rows = CollectionConverters.asJava(child().output());
        PredictionPlan plan = resolved.plan(
                sparkContext(),
                Attributes.places(CollectionConverters.asJava(inputs), rows),
                Attributes.bind(CollectionConverters.asJava(columns), rows),
                result.dataType(),
                metrics);
        RDD<InternalRow> input = InputRows.of(child());
        RDD<InternalRow> answered = isCoded()
                ? coded(input, plan)
                : resolved.small()
                        .map(small -> CascadePrediction.of(input, plan, resolved.source(small, sparkContext())))
                        .orElseGet(() -> PlainPrediction.of(input, plan));
        watchKills(answered.id());
        return TaskResources.of(resolved.options()).apply(answered);
    }

    private RDD<InternalRow> coded(RDD<InternalRow> input, PredictionPlan plan) {
        chosen = ExchangeChoice.of(resolved.options(), child()).over(input, child(), k(), resolved.options());
        return CodedExecution.of(input, child(), chosen, resolved, plan, exchangeMetrics);
    }

    private void watchKills(int operator) {
        String execution = sparkContext().getLocalProperty("spark.sql.execution.id");
        if (isCoded() && execution != null) {
            SQLMetric kills = metrics.get(Metric.KILLS);
            long id = Long.parseLong(execution);
            Coordinator.running()
                    .ifPresent(coordinator ->
                            coordinator.onKill(operator, id, () -> DriverCount.increment(sparkContext(), id, kills)));
        }
    }

    @Override
    public scala.collection.immutable.Map<String, SQLMetric> metrics() {
        if (allMetrics == null) {
            metrics = isCoded()
                    ? Metrics.coded(sparkContext())
                    : cascade() ? Metrics.cascade(sparkContext()) : Metrics.plain(sparkContext());
            exchangeMetrics = isCoded() ? CodedExecution.exchangeMetrics(sparkContext()) : Map.of();
            Map<String, SQLMetric> all = new LinkedHashMap<>(metrics.byName());
            all.putAll(exchangeMetrics);
            allMetrics = scala.collection.immutable.Map.from(CollectionConverters.asScala(all));
        }
        return allMetrics;
    }

    @Override
    public String nodeName() {
        return isCoded() ? "CodedPredict" : cascade() ? "CascadePredict" : "Predict";
    }

    @Override
    public String argString(int maxFields) {
        String how = (isCoded() ? ", k=" + k() + ", r=" + r() : "")
                + resolved.small().map(small -> ", " + small.text()).orElse("")
                + resolved.uncoded().map(reason -> ", not coded: " + reason).orElse("");
        return call.model() + how + ", "
                + package$.MODULE$.truncatedString(inputs, "[", ", ", "]", maxFields)
                + ", " + result + exchange()
                + InputRows.explanation(child());
    }

    /** What was chosen if it has run; what the plan says before. */
    private String exchange() {
        if (!isCoded()) {
            return "";
        }
        return ", " + (chosen == null ? ExchangeChoice.of(resolved.options(), child()) : chosen).text();
    }

    @Override
    public Seq<Attribute> output() {
        List<Attribute> output = new ArrayList<>(CollectionConverters.asJava(columns));
        output.add(result);
        return Attributes.seq(output);
    }

    @Override
    public AttributeSet producedAttributes() {
        return AttributeSet.apply(result);
    }

    @Override
    public SparkPlan withNewChildInternal(SparkPlan other) {
        return new PredictExec(other, call, inputs, columns, result, resolved);
    }

    @Override
    public Object[] caseFields() {
        return new Object[] {child(), call, inputs, columns, result, resolved};
    }

    /** All fields but the resolved call, which follows from the others. */
    @Override
    public Object[] comparedFields() {
        return new Object[] {child(), call, inputs, columns, result};
    }
}
