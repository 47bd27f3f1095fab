/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.cache;

import io.paritas.spark.catalyst.CaseNode;
import io.paritas.spark.ec.store.UnitMetrics;
import java.util.List;
import java.util.Map;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.UnaryExecNode;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import scala.Function1;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Shows in a plan how its rows are stored, and how the units that its child reads were decoded or recomputed; passes rows on. The child is Spark's own scan
 * of a cached table, so that rules that look for one find it. Public because Spark copies it by reflection.
 */
public final class ErasureCodedExec extends SparkPlan implements UnaryExecNode, CaseNode {
    private static final long serialVersionUID = 1;

    private final SparkPlan child;
    private final String storage;
    private final UnitMetrics units;

    public ErasureCodedExec(SparkPlan child, String storage, UnitMetrics units) {
        this.child = child;
        this.storage = storage;
        this.units = units;
    }

    @Override
    public RDD<InternalRow> doExecute() {
        return child.execute();
    }

    @Override
    public RDD<ColumnarBatch> doExecuteColumnar() {
        return child.executeColumnar();
    }

    @Override
    public boolean supportsRowBased() {
        return child.supportsRowBased();
    }

    @Override
    public boolean supportsColumnar() {
        return child.supportsColumnar();
    }

    @Override
    public scala.Option<Seq<String>> vectorTypes() {
        return child.vectorTypes();
    }

    @Override
    public Seq<Attribute> output() {
        return child.output();
    }

    @Override
    public Partitioning outputPartitioning() {
        return child.outputPartitioning();
    }

    @Override
    public Seq<SortOrder> outputOrdering() {
        return child.outputOrdering();
    }

    @Override
    public scala.collection.immutable.Map<String, SQLMetric> metrics() {
        Map<String, SQLMetric> named = units.named();
        return scala.collection.immutable.Map.from(CollectionConverters.asScala(named));
    }

    /** Keeps its own metrics, which all plans that read the units share. */
    @Override
    public void resetMetrics() {
        child.resetMetrics();
    }

    @Override
    public String nodeName() {
        return "ErasureCoded";
    }

    @Override
    public String argString(int maxFields) {
        return storage;
    }

    @Override
    public SparkPlan child() {
        return child;
    }

    @Override
    public Seq<SparkPlan> children() {
        return CollectionConverters.asScala(List.of(child)).toList();
    }

    @Override
    public String verboseStringWithOperatorId() {
        return UnaryExecNode.super.verboseStringWithOperatorId();
    }

    @Override
    public SparkPlan withNewChildInternal(SparkPlan other) {
        return new ErasureCodedExec(other, storage, units);
    }

    @Override
    public SparkPlan withNewChildrenInternal(IndexedSeq<SparkPlan> children) {
        return withNewChildInternal(children.apply(0));
    }

    @Override
    public SparkPlan mapChildren(Function1<SparkPlan, SparkPlan> change) {
        return (SparkPlan) UnaryExecNode.super.mapChildren(change);
    }

    @Override
    public Object[] caseFields() {
        return new Object[] {child, storage, units};
    }

    @Override
    public boolean equals(Object other) {
        return CaseNode.equal(this, other);
    }

    @Override
    public int hashCode() {
        return CaseNode.hash(this);
    }
}
