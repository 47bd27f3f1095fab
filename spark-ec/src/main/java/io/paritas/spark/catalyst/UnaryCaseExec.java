/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.catalyst;

import java.util.List;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.UnaryExecNode;
import scala.Function1;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** A physical operator in Java with one child: what Spark's trait gives a class of Scala and not one of Java. */
public abstract class UnaryCaseExec extends SparkPlan implements UnaryExecNode, CaseNode {
    private static final long serialVersionUID = 1;

    private final SparkPlan child;

    /** An operator above a child, which is also the first of its {@linkplain #caseFields fields}. */
    protected UnaryCaseExec(SparkPlan child) {
        this.child = child;
    }

    @Override
    public final SparkPlan child() {
        return child;
    }

    @Override
    public final Seq<SparkPlan> children() {
        return CollectionConverters.asScala(List.of(child)).toList();
    }

    @Override
    public final SparkPlan withNewChildrenInternal(IndexedSeq<SparkPlan> children) {
        return withNewChildInternal(children.apply(0));
    }

    @Override
    public final SparkPlan mapChildren(Function1<SparkPlan, SparkPlan> change) {
        return (SparkPlan) UnaryExecNode.super.mapChildren(change);
    }

    @Override
    public final String verboseStringWithOperatorId() {
        return UnaryExecNode.super.verboseStringWithOperatorId();
    }

    @Override
    public final boolean equals(Object other) {
        return CaseNode.equal(this, other);
    }

    @Override
    public final int hashCode() {
        return CaseNode.hash(this);
    }
}
