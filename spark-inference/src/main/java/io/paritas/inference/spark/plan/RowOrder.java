/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.spark.task.Attributes;
import io.paritas.spark.ec.cache.CachedOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.expressions.Add;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
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
 * @param plan the plan
 * @param sort the operator that makes the order, or makes it again of rows that are cached
 */
record RowOrder(LogicalPlan plan, Sort sort) {

    /** The order of a plan's rows; empty if they have none, or if it is lost further above. */
    static Optional<RowOrder> of(LogicalPlan plan) {
        return sort(plan).map(sort -> new RowOrder(plan, sort));
    }

    private static Optional<Sort> sort(LogicalPlan plan) {
        if (plan instanceof Sort sort) {
            return sort.global() ? Optional.of(sort) : Optional.empty();
        }
        if (plan instanceof InMemoryRelation cached) {
            return ofCached(cached);
        }
        return keepsOrder(plan) ? sort(Plans.below(plan)) : Optional.empty();
    }

    /** A prediction gives one row for each, and whoever looks for the order sorts them again. */
    private static boolean keepsOrder(LogicalPlan plan) {
        return Stream.of(
                        Project.class,
                        Filter.class,
                        GlobalLimit.class,
                        LocalLimit.class,
                        Offset.class,
                        Prediction.class,
                        SubqueryAlias.class,
                        View.class)
                .anyMatch(kind -> kind.isInstance(plan));
    }

    /** The same sort of cached rows, by their own columns. Only what was analysed tells whether it was of all partitions. */
    private static Optional<Sort> ofCached(InMemoryRelation cached) {
        List<SortOrder> order = CachedOrder.of(cached);
        boolean known = !order.isEmpty()
                && order.stream().allMatch(key -> key.references().subsetOf(cached.outputSet()));
        return known
                ? sort(cached.cacheBuilder().logicalPlan()).map(sort -> {
                    Object[] fields = IntStream.range(0, sort.productArity())
                            .mapToObj(sort::productElement)
                            .toArray();
                    fields[0] = Attributes.seq(order);
                    return (Sort) Plans.above(cached, (LogicalPlan) sort.makeCopy(fields));
                })
                : Optional.empty();
    }

    /** Whether there is a limit, or are so few rows that Spark may have removed one. */
    boolean isFew() {
        return isFew(plan);
    }

    private static boolean isFew(LogicalPlan plan) {
        return limit(plan).isPresent() || Plans.isAtMost(FirstRows.MOST, plan.maxRows());
    }

    /** Most rows, if there is a limit. */
    Optional<Expression> limit() {
        return limit(plan);
    }

    private static Optional<Expression> limit(LogicalPlan plan) {
        if (plan instanceof GlobalLimit global) {
            return Optional.of(global.limitExpr());
        }
        return keepsOrder(plan) || plan instanceof Sort || plan instanceof Repartition
                ? limit(Plans.below(plan))
                : Optional.empty();
    }

    /** The columns that the order reads. */
    List<Attribute> keys() {
        return CollectionConverters.asJava(sort.references().toSeq());
    }

    /** Rows of the plan, and whether they are in order. */
    private record Rows(LogicalPlan plan, boolean inOrder) {}

    /**
     * The rows, with the columns that the order reads. They are in order, unless there are predictions among them.
     *
     * @param most how many of them are wanted
     */
    LogicalPlan rows(Optional<Expression> most) {
        return rows(plan, most).plan;
    }

    private Rows rows(LogicalPlan node, Optional<Expression> most) {
        if (node instanceof Sort || node instanceof InMemoryRelation) {
            return limited(new Rows(sort, true), most);
        }
        if (node instanceof Prediction prediction) {
            return new Rows(prediction.sortedBy(keys(), rows(prediction.child(), most).plan), false);
        }
        if (node instanceof Project project && Plans.isDeterministic(project)) {
            Rows rows = rows(project.child(), most);
            return new Rows(Plans.above(rows.plan, withKeys(project)), rows.inOrder);
        }
        if (node instanceof LocalLimit limit) {
            return counted(limit, Optional.of(limit.limitExpr()), most);
        }
        if (node instanceof GlobalLimit limit) {
            return counted(limit, Optional.of(limit.limitExpr()), most);
        }
        if (node instanceof Offset offset) {
            return counted(offset, after(offset, most), most);
        }
        Rows rows = rows(Plans.below(node), Optional.empty());
        return limited(
                new Rows(
                        Plans.above(rows.plan, node instanceof Project project ? withKeys(project) : node),
                        rows.inOrder),
                most);
    }

    /** The rows of an operator that counts those below it. */
    private Rows counted(LogicalPlan node, Optional<Expression> mostBelow, Optional<Expression> most) {
        LogicalPlan below = sorted(rows(Plans.below(node), mostBelow));
        return limited(new Rows(Plans.above(below, node), true), most);
    }

    private LogicalPlan sorted(Rows rows) {
        return rows.inOrder ? rows.plan : above(rows.plan);
    }

    private Rows limited(Rows rows, Optional<Expression> most) {
        return most.filter(limit -> !limit(rows.plan).equals(most))
                .map(limit -> new Rows(Plans.limited(sorted(rows), limit), true))
                .orElse(rows);
    }

    /** Sorts predicted rows. Few are in one partition: to find borders between several, Spark would predict them once more. */
    LogicalPlan above(LogicalPlan predicted) {
        return Plans.above(isFew(predicted) ? new Repartition(1, true, predicted) : predicted, sort);
    }

    /** How many rows are wanted below an offset. */
    static Optional<Expression> after(Offset offset, Optional<Expression> most) {
        return most.map(limit -> new Add(limit, offset.offsetExpr()));
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
