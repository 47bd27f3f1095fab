/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.spark.task.Attributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.GlobalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Offset;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Repartition;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias;
import org.apache.spark.sql.catalyst.plans.logical.View;
import org.apache.spark.sql.execution.columnar.InMemoryRelation;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The order of a plan's rows, which Spark's projections keep and predictions do not.
 *
 * @param rows the plan, with all columns that the order reads
 * @param sort the operator that made the order
 * @param limit most rows, if there is a limit
 */
record RowOrder(LogicalPlan rows, Sort sort, Optional<Expression> limit) {

    /** The order of a plan's rows; empty if they have none, or if it is lost further above. */
    static Optional<RowOrder> of(LogicalPlan plan) {
        if (plan instanceof Sort sort) {
            return sort.global() ? Optional.of(new RowOrder(sort, sort, limit(sort.child()))) : Optional.empty();
        }
        if (plan instanceof InMemoryRelation cached) {
            return ofCached(cached);
        }
        if (plan instanceof Prediction prediction) {
            return of(prediction.child()).map(below -> below.through(prediction));
        }
        return keepsOrder(plan) ? of(plan.children().apply(0)).map(below -> below.through(plan)) : Optional.empty();
    }

    /** The limit of rows that are sorted. */
    private static Optional<Expression> limit(LogicalPlan plan) {
        if (plan instanceof GlobalLimit global) {
            return Optional.of(global.limitExpr());
        }
        boolean handsOn =
                keepsOrder(plan) || plan instanceof Sort || plan instanceof Repartition || plan instanceof Prediction;
        return handsOn ? limit(plan.children().apply(0)) : Optional.empty();
    }

    private static Optional<RowOrder> ofCached(InMemoryRelation cached) {
        LogicalPlan made = cached.cacheBuilder().logicalPlan();
        Map<ExprId, Attribute> columns = new HashMap<>();
        for (int i = 0; i < made.output().length(); i++) {
            columns.put(made.output().apply(i).exprId(), cached.output().apply(i));
        }
        return of(made).filter(order -> order.keys().stream().allMatch(key -> columns.containsKey(key.exprId())))
                .map(order -> {
                    Sort sort = (Sort) Plans.replaced(
                            Plans.above(cached, order.sort),
                            part -> part instanceof Attribute key ? columns.get(key.exprId()) : part);
                    return new RowOrder(sort, sort, order.limit);
                });
    }

    private static boolean keepsOrder(LogicalPlan plan) {
        return Stream.of(
                        Project.class,
                        Filter.class,
                        GlobalLimit.class,
                        LocalLimit.class,
                        Offset.class,
                        SubqueryAlias.class,
                        View.class)
                .anyMatch(kind -> kind.isInstance(plan));
    }

    private RowOrder through(Prediction prediction) {
        return new RowOrder(Plans.above(prediction.sortedBy(keys(), rows), sort), sort, limit);
    }

    private RowOrder through(LogicalPlan above) {
        return new RowOrder(
                Plans.above(rows, above instanceof Project project ? withKeys(project) : above),
                sort,
                above instanceof GlobalLimit global ? Optional.of(global.limitExpr()) : limit);
    }

    /** The columns that the order reads. */
    List<Attribute> keys() {
        return CollectionConverters.asJava(sort.references().toSeq());
    }

    private Project withKeys(Project project) {
        List<NamedExpression> all = new ArrayList<>(CollectionConverters.asJava(project.projectList()));
        keys().stream()
                .filter(key -> all.stream().noneMatch(column -> column.exprId().equals(key.exprId())))
                .forEach(all::add);
        return all.size() == project.projectList().length()
                ? project
                : new Project(Attributes.seq(all), project.child());
    }
}
