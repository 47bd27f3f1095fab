/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.cache;

import io.paritas.spark.catalyst.UnaryCaseExec;
import io.paritas.spark.ec.store.UnitMetrics;
import java.util.Map;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Shows in a plan how its rows are stored, and how the units that its child reads were decoded or recomputed; passes rows on. The child is Spark's own scan
 * of a cached table, so that rules that look for one find it. Public because Spark copies it by reflection.
 */
public final class ErasureCodedExec extends UnaryCaseExec {
    private static final long serialVersionUID = 1;

    private final String storage;
    private final UnitMetrics units;

    public ErasureCodedExec(SparkPlan child, String storage, UnitMetrics units) {
        super(child);
        this.storage = storage;
        this.units = units;
    }

    @Override
    public RDD<InternalRow> doExecute() {
        return child().execute();
    }

    @Override
    public RDD<ColumnarBatch> doExecuteColumnar() {
        return child().executeColumnar();
    }

    @Override
    public boolean supportsRowBased() {
        return child().supportsRowBased();
    }

    @Override
    public boolean supportsColumnar() {
        return child().supportsColumnar();
    }

    @Override
    public scala.Option<Seq<String>> vectorTypes() {
        return child().vectorTypes();
    }

    @Override
    public Seq<Attribute> output() {
        return child().output();
    }

    @Override
    public Partitioning outputPartitioning() {
        return child().outputPartitioning();
    }

    @Override
    public Seq<SortOrder> outputOrdering() {
        return child().outputOrdering();
    }

    @Override
    public scala.collection.immutable.Map<String, SQLMetric> metrics() {
        Map<String, SQLMetric> named = units.named();
        return scala.collection.immutable.Map.from(CollectionConverters.asScala(named));
    }

    /** Keeps its own metrics, which all plans that read the units share. */
    @Override
    public void resetMetrics() {
        child().resetMetrics();
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
    public SparkPlan withNewChildInternal(SparkPlan other) {
        return new ErasureCodedExec(other, storage, units);
    }

    @Override
    public Object[] caseFields() {
        return new Object[] {child(), storage, units};
    }
}
