/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.spark.task.Attributes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.spark.sql.catalyst.analysis.SQLFunctionContext;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Join;
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
 *
 * <p>Subqueries that read columns of the query around them keep their calls until the optimizer has made joins of them:
 * Spark knows how to do so for its own operators only. Joins keep theirs, too: {@code Dataset.joinWith} analyses a join by itself, and
 * wants a join back. So does the body of an SQL function while Spark analyses it: Spark takes its SELECT without FROM apart, and
 * puts the expression into the query that calls the function.
 */
final class ExtractCalls extends Rule<LogicalPlan> {

    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        boolean ofFunction = SQLFunctionContext.get().nestedSQLFunctionDepth() > 0;
        return extracted(plan, node -> !(node instanceof Join) && !(ofFunction && Plans.isOfOneRow(node)));
    }

    /** Extracts the calls from those operators of a plan that are wanted. */
    static LogicalPlan extracted(LogicalPlan plan, Predicate<LogicalPlan> wanted) {
        if (Calls.isCorrelated(plan)) {
            return plan;
        }
        return (LogicalPlan) plan.transformUp(new AbstractPartialFunction<LogicalPlan, LogicalPlan>() {
            @Override
            public boolean isDefinedAt(LogicalPlan node) {
                return node.resolved()
                        && wanted.test(node)
                        && (JoinCalls.has(node)
                                || (node instanceof UnaryNode
                                        && (AggregateCalls.has(node)
                                                || !calls(node).isEmpty())));
            }

            @Override
            public LogicalPlan apply(LogicalPlan node) {
                if (node instanceof Join join) {
                    LogicalPlan split = JoinCalls.split(join);
                    LogicalPlan below = split instanceof Filter filter ? filter.child() : split;
                    LogicalPlan above = JoinCalls.has(below) ? extract(below) : below;
                    return split == below ? above : extract(Plans.above(above, split));
                }
                if (AggregateCalls.has(node)) {
                    LogicalPlan split = AggregateCalls.split(node);
                    return extract(Plans.above(extract(Plans.below(split)), split));
                }
                return extract(node);
            }
        });
    }

    /** The innermost calls of an operator with one child that can be made below it. */
    private static List<PredictCall> calls(LogicalPlan node) {
        List<Expression> expressions = new ArrayList<>(CollectionConverters.asJava(node.expressions()));
        if (node instanceof Aggregate aggregate) {
            expressions = AggregateCalls.before(aggregate);
        }
        return innermost(expressions, call -> call.references().subsetOf(node.inputSet()));
    }

    /** The innermost calls among those that are possible, each once. */
    static List<PredictCall> innermost(List<Expression> expressions, Predicate<PredictCall> possible) {
        List<PredictCall> calls = new ArrayList<>();
        expressions.forEach(expression -> collect(expression, possible, calls));
        return calls;
    }

    private static void collect(Expression expression, Predicate<PredictCall> possible, List<PredictCall> calls) {
        for (Expression child : CollectionConverters.asJava(expression.children())) {
            collect(child, possible, calls);
        }
        if (expression instanceof PredictCall call
                && CollectionConverters.asJava(call.children()).stream().noneMatch(Calls::in)
                && !Calls.has(call, part -> part instanceof AggregateExpression)
                && !Calls.readsElement(call)
                && possible.test(call)
                && calls.stream().noneMatch(call::semanticEquals)) {
            calls.add(call);
        }
    }

    private static LogicalPlan extract(LogicalPlan node) {
        LogicalPlan replaced = node;
        while (JoinCalls.has(replaced)
                || (!(replaced instanceof Join) && !calls(replaced).isEmpty())) {
            LogicalPlan next = replaced instanceof Join join ? replaceInnermost(join) : replaceInnermost(replaced);
            if (next == replaced) {
                break;
            }
            replaced = next;
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
        Map<PredictCall, Attribute> results = new LinkedHashMap<>();
        LogicalPlan child = predicted(Plans.below(node), calls(node), results);
        return Plans.above(child, (LogicalPlan) node.transformExpressionsUp(replacement(results)));
    }

    private static LogicalPlan replaceInnermost(Join join) {
        Map<PredictCall, Attribute> results = new LinkedHashMap<>();
        List<PredictCall> ofLeft = JoinCalls.of(join, join.left());
        List<PredictCall> ofRight = JoinCalls.of(join, join.right());
        ofRight.removeIf(call -> ofLeft.stream().anyMatch(call::semanticEquals));
        LogicalPlan left = predicted(join.left(), ofLeft, results);
        LogicalPlan right = predicted(join.right(), ofRight, results);
        return results.isEmpty()
                ? join
                : (LogicalPlan) ((LogicalPlan) join.transformExpressionsUp(replacement(results)))
                        .withNewChildren(Attributes.seq(List.of(left, right)));
    }

    /** The rows of a plan with the answers to calls; the columns of the answers are added to the results. */
    private static LogicalPlan predicted(
            LogicalPlan plan, List<PredictCall> calls, Map<PredictCall, Attribute> results) {
        LogicalPlan child = plan;
        for (PredictCall call : calls) {
            LogicalPlan source = child;
            ReusedPrediction answered = ReusedPrediction.find(child, call).orElseGet(() -> predict(source, call));
            results.put(call, answered.result());
            child = answered.plan();
        }
        return child;
    }

    /** The rows of a plan with the answers to a call. */
    static ReusedPrediction predict(LogicalPlan child, PredictCall call) {
        List<NamedExpression> projected = new ArrayList<>(CollectionConverters.asJava(child.output()));
        List<Attribute> inputs = new ArrayList<>();
        for (Expression input : call.inputs()) {
            if (input instanceof Attribute attribute) {
                inputs.add(attribute);
            } else {
                Alias alias = Attributes.alias(input, ResolvedCall.name(input));
                projected.add(alias);
                inputs.add(alias.toAttribute());
            }
        }
        boolean asItIs = projected.size() == child.output().size();
        LogicalPlan source = asItIs ? child : new Project(Attributes.seq(projected), child);
        Attribute result = Attributes.of("answer", call.dataType(), false);
        Prediction prediction = new Prediction(
                source,
                call.call(),
                Attributes.seq(inputs),
                child.output(),
                result,
                Attributes.seq(call.variables()),
                false);
        return new ReusedPrediction(prediction, result);
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
