/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.spark.task.Attributes;
import io.paritas.spark.catalyst.CaseNode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Statistics;
import org.apache.spark.sql.catalyst.plans.logical.UnaryNode;
import scala.Function1;
import scala.Option;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** The child's rows, with some of their columns and the answers to a call. Public because Spark copies it by reflection. */
public final class Prediction extends LogicalPlan implements UnaryNode, CaseNode {
    private final LogicalPlan child;
    private final Call call;
    private final Seq<Attribute> inputs;
    private final Seq<Attribute> columns;
    private final Attribute result;
    private final Seq<Expression> variables;
    private final boolean sorted;

    /**
     * Creates the predictions for the rows of a plan.
     *
     * @param inputs columns of the child that the model reads
     * @param columns columns of the child that are kept
     * @param result the new column
     * @param variables the arguments of the call that read variables of the session: Spark looks for them in the plan of a view
     * @param sorted whether the rows are sorted above as they were below
     */
    public Prediction(
            LogicalPlan child,
            Call call,
            Seq<Attribute> inputs,
            Seq<Attribute> columns,
            Attribute result,
            Seq<Expression> variables,
            boolean sorted) {
        this.child = child;
        this.call = call;
        this.inputs = inputs;
        this.columns = columns;
        this.result = result;
        this.variables = variables;
        this.sorted = sorted;
    }

    Call call() {
        return call;
    }

    Seq<Attribute> inputs() {
        return inputs;
    }

    List<Attribute> columns() {
        return CollectionConverters.asJava(columns);
    }

    Attribute result() {
        return result;
    }

    /** A copy that keeps the given columns. */
    Prediction withColumns(List<Attribute> kept) {
        return new Prediction(child, call, inputs, Attributes.seq(kept), result, variables, sorted);
    }

    /** A copy that keeps the given columns of its child, too. */
    Prediction keeping(List<Attribute> more) {
        List<Attribute> all = new ArrayList<>(columns());
        more.stream()
                .filter(column -> all.stream().noneMatch(kept -> kept.exprId().equals(column.exprId())))
                .forEach(all::add);
        return withColumns(all);
    }

    boolean isSorted() {
        return sorted;
    }

    /** A copy over other rows, of which the given columns are kept, too: they are sorted above by these. */
    Prediction sortedBy(List<Attribute> keys, LogicalPlan rows) {
        Prediction keeping = (Prediction) keeping(keys).withNewChildInternal(rows);
        return new Prediction(rows, call, inputs, keeping.columns, result, variables, true);
    }

    /** A copy for a view whose text reads these variables, too; this one if it has them all. */
    Prediction reading(List<Expression> more) {
        LinkedHashSet<Expression> all = new LinkedHashSet<>(CollectionConverters.asJava(variables));
        return all.addAll(more) ? withVariables(List.copyOf(all)) : this;
    }

    private Prediction withVariables(List<Expression> read) {
        return new Prediction(child, call, inputs, columns, result, Attributes.seq(read), sorted);
    }

    /** Without variables: the call has their values. */
    @Override
    public LogicalPlan doCanonicalize() {
        return ((Prediction) super.doCanonicalize()).withVariables(List.of());
    }

    /** Whether this prediction answers a call over the same rows. */
    boolean answers(PredictCall other) {
        List<Expression> wanted = other.inputs();
        List<Attribute> had = CollectionConverters.asJava(inputs);
        return call.equals(other.call())
                && had.size() == wanted.size()
                && IntStream.range(0, had.size()).allMatch(i -> isInput(had.get(i), wanted.get(i)));
    }

    private boolean isInput(Attribute input, Expression wanted) {
        return input.semanticEquals(wanted) || computed(input).semanticEquals(wanted);
    }

    /** The expression that a projection right below computes for an input; the input itself without one. */
    private Expression computed(Attribute input) {
        return child instanceof Project project ? Plans.computed(project, input) : input;
    }

    @Override
    public LogicalPlan child() {
        return child;
    }

    @Override
    public Seq<LogicalPlan> children() {
        return Attributes.seq(List.of(child));
    }

    @Override
    public Seq<Attribute> output() {
        List<Attribute> output = new ArrayList<>(columns());
        output.add(result);
        return Attributes.seq(output);
    }

    @Override
    public Statistics stats() {
        if (statsCache().isEmpty()) {
            statsCache_$eq(Option.apply(Estimate.of(this, outputs())));
        }
        return statsCache().get();
    }

    private int outputs() {
        return ResolvedCall.of(call, CollectionConverters.asJava(inputs))
                .model()
                .outputs();
    }

    @Override
    public Option<Object> maxRows() {
        return child.maxRows();
    }

    @Override
    public AttributeSet producedAttributes() {
        return AttributeSet.apply(result);
    }

    /**
     * A copy over another child. What that has besides all columns of this one is kept: Spark adds columns below an operator, such as
     * {@code _metadata}, where one above wants them, and expects the operator to hand them on.
     */
    @Override
    public LogicalPlan withNewChildInternal(LogicalPlan other) {
        AttributeSet before = child.outputSet();
        boolean wider = before.subsetOf(other.outputSet());
        List<Attribute> added = CollectionConverters.asJava(other.output()).stream()
                .filter(column -> wider && !before.contains(column))
                .toList();
        return new Prediction(other, call, inputs, keeping(added).columns, result, variables, sorted);
    }

    @Override
    public LogicalPlan withNewChildrenInternal(IndexedSeq<LogicalPlan> children) {
        return withNewChildInternal(children.apply(0));
    }

    @Override
    public LogicalPlan mapChildren(Function1<LogicalPlan, LogicalPlan> change) {
        return (LogicalPlan) UnaryNode.super.mapChildren(change);
    }

    @Override
    public Object[] caseFields() {
        return new Object[] {child, call, inputs, columns, result, variables, sorted};
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
