/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.Cross$;
import org.apache.spark.sql.catalyst.plans.Inner$;
import org.apache.spark.sql.catalyst.plans.JoinType;
import org.apache.spark.sql.catalyst.plans.LeftAnti$;
import org.apache.spark.sql.catalyst.plans.LeftOuter$;
import org.apache.spark.sql.catalyst.plans.LeftSemi$;
import org.apache.spark.sql.catalyst.plans.RightOuter$;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LateralJoin;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/** Calls in the conditions of joins. A call over one side is made on that side, whatever the join. */
final class JoinCalls {
    private static final Set<JoinType> KEEP_LEFT = Set.of(LeftOuter$.MODULE$, LeftSemi$.MODULE$, LeftAnti$.MODULE$);

    private JoinCalls() {}

    /** Whether a join has calls over one side, or is an inner join, which can have all. */
    static boolean has(LogicalPlan node) {
        return node instanceof Join join
                && join.condition().isDefined()
                && Calls.in(join.condition().get())
                && (isInner(join.joinType())
                        || !of(join, join.left()).isEmpty()
                        || !of(join, join.right()).isEmpty());
    }

    /** Whether a call in the condition of a join can be made when the optimizer has the join. */
    static boolean isPossible(PredictCall call, LogicalPlan node) {
        return type(node)
                .filter(type -> isInner(type) || isOverOne(call, sides(node)))
                .isPresent();
    }

    private static boolean isOverOne(PredictCall call, Stream<LogicalPlan> sides) {
        return sides.anyMatch(side -> call.references().subsetOf(side.outputSet()));
    }

    private static Stream<LogicalPlan> sides(LogicalPlan node) {
        return node instanceof LateralJoin lateral
                ? Stream.of(lateral.left(), lateral.right().plan())
                : CollectionConverters.asJava(node.children()).stream();
    }

    /** The type of a join; empty for other operators. */
    static Optional<JoinType> type(LogicalPlan node) {
        if (node instanceof LateralJoin lateral) {
            return Optional.of(lateral.joinType());
        }
        return node instanceof Join join ? Optional.of(join.joinType()) : Optional.empty();
    }

    /** The sides whose rows a join hands on as they are: not those of which it makes rows of nulls. */
    static List<LogicalPlan> handedOn(Join join) {
        JoinType type = join.joinType();
        List<LogicalPlan> sides = new ArrayList<>();
        if (isInner(type) || KEEP_LEFT.contains(type)) {
            sides.add(join.left());
        }
        if (isInner(type) || type == RightOuter$.MODULE$) {
            sides.add(join.right());
        }
        return sides;
    }

    private static boolean isInner(JoinType type) {
        return type == Inner$.MODULE$ || type == Cross$.MODULE$;
    }

    /** Whether the condition of a join has a call over one side. */
    static boolean has(Join join, LogicalPlan side, PredictCall call) {
        return join.condition().isDefined() && of(join, side).stream().anyMatch(call::semanticEquals);
    }

    /** The innermost calls over one side. */
    static List<PredictCall> of(Join join, LogicalPlan side) {
        AttributeSet columns = side.outputSet();
        return ExtractCalls.innermost(
                List.of(join.condition().get()), call -> call.references().subsetOf(columns));
    }

    /** The conditions of an inner join with calls over both sides, in a filter above it; the join itself otherwise. */
    static LogicalPlan split(Join join) {
        List<Expression> both = conditions(join.condition().get())
                .filter(condition -> isInner(join.joinType()) && Calls.has(condition, part -> isOverBoth(part, join)))
                .toList();
        List<Expression> rest = conditions(join.condition().get())
                .filter(condition -> !both.contains(condition))
                .toList();
        return both.isEmpty()
                ? join
                : new Filter(
                        all(both).get(), new Join(join.left(), join.right(), join.joinType(), all(rest), join.hint()));
    }

    private static boolean isOverBoth(Expression part, Join join) {
        return part instanceof PredictCall
                && !part.references().subsetOf(join.left().outputSet())
                && !part.references().subsetOf(join.right().outputSet());
    }

    private static Stream<Expression> conditions(Expression condition) {
        return condition instanceof And and
                ? Stream.concat(conditions(and.left()), conditions(and.right()))
                : Stream.of(condition);
    }

    private static Option<Expression> all(List<Expression> conditions) {
        return Option.apply(conditions.stream().reduce(And::new).orElse(null));
    }
}
