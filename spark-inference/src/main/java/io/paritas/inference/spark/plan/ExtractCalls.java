/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.spark.task.Attributes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.LambdaFunction;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.UnaryNode;
import org.apache.spark.sql.catalyst.rules.Rule;
import scala.PartialFunction;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractPartialFunction;

/**
 * Extracts the calls from a resolved query. Each call becomes a {@link Prediction} below its operator, which then
 * refers to the prediction's column. Equal calls over the same rows share one prediction, whether they are in one
 * operator or in several above each other.
 */
final class ExtractCalls extends Rule<LogicalPlan> {

    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        return (LogicalPlan) plan.transformUp(new AbstractPartialFunction<LogicalPlan, LogicalPlan>() {
            @Override
            public boolean isDefinedAt(LogicalPlan node) {
                return node instanceof UnaryNode
                        && node.resolved()
                        && (AggregateCalls.has(node) || !calls(node).isEmpty());
            }

            @Override
            public LogicalPlan apply(LogicalPlan node) {
                LogicalPlan extracted = extract(node);
                return AggregateCalls.has(extracted) ? extract(AggregateCalls.split(extracted)) : extracted;
            }
        });
    }

    /** The innermost calls of an operator that can be made below it. */
    private static List<PredictCall> calls(LogicalPlan node) {
        List<PredictCall> calls = new ArrayList<>();
        for (Expression expression : CollectionConverters.asJava(node.expressions())) {
            collect(expression, node, calls);
        }
        return calls;
    }

    private static void collect(Expression expression, LogicalPlan node, List<PredictCall> calls) {
        if (expression instanceof LambdaFunction) {
            return;
        }
        for (Expression child : CollectionConverters.asJava(expression.children())) {
            collect(child, node, calls);
        }
        boolean inner = calls.stream().anyMatch(call -> expression.exists(part -> part == call));
        if (expression instanceof PredictCall call
                && !inner
                && !AggregateCalls.isCall(call)
                && call.references().subsetOf(node.inputSet())
                && calls.stream().noneMatch(call::semanticEquals)) {
            calls.add(call);
        }
    }

    private static LogicalPlan extract(LogicalPlan node) {
        LogicalPlan replaced = node;
        while (!calls(replaced).isEmpty()) {
            replaced = replaceInnermost(replaced);
        }
        return ids(replaced).equals(ids(node))
                ? replaced
                : new Project(Attributes.seq(CollectionConverters.asJava(node.output())), replaced);
    }

    private static List<ExprId> ids(LogicalPlan node) {
        return CollectionConverters.asJava(node.output()).stream()
                .map(Attribute::exprId)
                .toList();
    }

    private static LogicalPlan replaceInnermost(LogicalPlan node) {
        LogicalPlan child = node.children().apply(0);
        List<Attribute> kept = new ArrayList<>(CollectionConverters.asJava(child.output()));
        Map<PredictCall, Attribute> results = new LinkedHashMap<>();
        for (PredictCall call : calls(node)) {
            LogicalPlan source = child;
            ReusedPrediction answered = ReusedPrediction.find(child, call).orElseGet(() -> predict(source, kept, call));
            results.put(call, answered.result());
            kept.add(answered.result());
            child = answered.plan();
        }
        LogicalPlan replaced = (LogicalPlan) node.transformExpressionsUp(replacement(results));
        return (LogicalPlan) replaced.withNewChildren(Attributes.seq(List.of(child)));
    }

    private static ReusedPrediction predict(LogicalPlan child, List<Attribute> kept, PredictCall call) {
        List<NamedExpression> projected = new ArrayList<>(CollectionConverters.asJava(child.output()));
        List<Attribute> inputs = new ArrayList<>();
        for (Expression input : call.inputs()) {
            if (input instanceof Attribute attribute) {
                inputs.add(attribute);
            } else {
                Alias alias = Attributes.alias(input, name(input));
                projected.add(alias);
                inputs.add(alias.toAttribute());
            }
        }
        boolean asItIs = projected.size() == child.output().size();
        LogicalPlan source = asItIs ? child : new Project(Attributes.seq(projected), child);
        Attribute result = Attributes.of("answer", call.dataType(), false);
        Prediction prediction =
                new Prediction(source, call.call(), Attributes.seq(inputs), Attributes.seq(kept), result);
        return new ReusedPrediction(prediction, result);
    }

    private static String name(Expression input) {
        return input instanceof NamedExpression named ? named.name() : input.sql();
    }

    private static PartialFunction<Expression, Expression> replacement(Map<PredictCall, Attribute> results) {
        return new AbstractPartialFunction<>() {
            @Override
            public boolean isDefinedAt(Expression expression) {
                return expression instanceof PredictCall && find((PredictCall) expression) != null;
            }

            @Override
            public Expression apply(Expression expression) {
                return find((PredictCall) expression);
            }

            /* A call over rand() is never semantically equal, not even to itself. */
            private Attribute find(PredictCall wanted) {
                return results.entrySet().stream()
                        .filter(entry ->
                                entry.getKey().equals(wanted) || entry.getKey().semanticEquals(wanted))
                        .map(Map.Entry::getValue)
                        .findFirst()
                        .orElse(null);
            }
        };
    }
}
