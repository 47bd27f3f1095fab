/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.spark.task.Attributes;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.analysis.AnalysisContext;
import org.apache.spark.sql.catalyst.analysis.AnalysisContext$;
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute;
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction$;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.expressions.FunctionTableSubqueryArgumentExpression;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Function1;
import scala.Option;
import scala.Tuple3;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Registers the functions in a session. */
public final class Registration {
    private Registration() {}

    /** Adds the functions, and the rules that plan them. */
    public static void register(SparkSessionExtensions extensions) {
        for (Kind kind : Kind.values()) {
            inject(extensions, kind.function(), kind, arguments -> call(kind, arguments));
            inject(extensions, kind.ownName(), kind, arguments -> PredictCall.of(kind, arguments));
        }
        extensions.injectPostHocResolutionRule(session -> new ExtractCalls());
        extensions.injectCheckRule(session -> new CheckCalls());
        extensions.injectOptimizerRule(session -> new ExtractLateCalls());
        extensions.injectOptimizerRule(session -> new PruneColumns());
        extensions.injectOptimizerRule(session -> new PushDown());
        extensions.injectOptimizerRule(session -> new PullDown());
        extensions.injectPlannerStrategy(session -> new PredictionStrategy());
    }

    private static void inject(
            SparkSessionExtensions extensions, String name, Kind kind, Function1<Seq<Expression>, Expression> call) {
        FunctionIdentifier identifier = new FunctionIdentifier(name);
        extensions.injectFunction(new Tuple3<>(identifier, info(kind, name), call));
        extensions.injectTableFunction(
                new Tuple3<>(identifier, info(kind, name), arguments -> refusing(kind, arguments)));
    }

    /** A temporary function of the session comes first, as it did before the application had these functions. */
    private static Expression call(Kind kind, Seq<Expression> arguments) {
        return isOfSession(kind.function())
                ? UnresolvedFunction$.MODULE$.apply(ofSession(kind.function()), arguments, false)
                : PredictCall.of(kind, arguments);
    }

    /** Whether the session has a function of that name. A view knows only those that it was made with. */
    private static boolean isOfSession(String name) {
        Option<SparkSession> session = SparkSession.getActiveSession();
        AnalysisContext context = AnalysisContext$.MODULE$.get();
        return session.nonEmpty()
                && session.get().sessionState().functionRegistry().functionExists(ofSession(name))
                && (context.catalogAndNamespace().isEmpty()
                        || context.referredTempFunctionNames().contains(name));
    }

    private static FunctionIdentifier ofSession(String name) {
        return new FunctionIdentifier(name, Option.apply("session"), Option.apply("system"));
    }

    private static ExpressionInfo info(Kind kind, String name) {
        return new ExpressionInfo(
                PredictCall.class.getName(),
                null,
                name,
                kind.usage(),
                kind.arguments(),
                kind.examples(),
                "",
                "misc_funcs",
                "",
                "",
                "built-in");
    }

    /* Spark does not turn what a builder throws into a message to the user. */
    private static LogicalPlan refusing(Kind kind, Seq<Expression> arguments) {
        try {
            return table(kind, arguments);
        } catch (IllegalArgumentException e) {
            throw Refusal.of(e.getMessage());
        }
    }

    /**
     * Plans the function over a table: {@code coded_predict(TABLE(t), 'model.onnx', 'column'...[, options])}. The
     * result has the columns of the table and those of the answer.
     */
    private static LogicalPlan table(Kind kind, Seq<Expression> arguments) {
        List<Expression> rest = new ArrayList<>(CollectionConverters.asJava(arguments));
        if (rest.isEmpty() || !(rest.remove(0) instanceof FunctionTableSubqueryArgumentExpression table)) {
            throw new IllegalArgumentException("the first argument of the table function " + kind.function()
                    + " must be a table: " + kind.function() + "(TABLE(t), 'model.onnx', 'column')");
        }
        if (table.hasRepartitioning() || !table.orderByExpressions().isEmpty()) {
            throw new IllegalArgumentException(
                    kind.function() + " must have its table without PARTITION BY, WITH SINGLE"
                            + " PARTITION and ORDER BY, because it answers each row for itself: leave them out, and sort the"
                            + " result");
        }
        for (int i = 0; i < rest.size(); i++) {
            Expression argument = rest.get(i);
            boolean ofColumn = i >= kind.models() && !(argument.dataType() instanceof MapType);
            if (ofColumn && argument.foldable() && argument.eval(null) instanceof UTF8String column) {
                rest.set(i, UnresolvedAttribute.quoted(column.toString()));
            } else if (!ofColumn && argument instanceof Alias variable) {
                rest.set(i, variable.child()); // not a column's name, of which the plan of a view would say nothing
            }
        }
        PredictCall call = PredictCall.of(kind, Attributes.seq(rest));
        StructType answer = (StructType) call.dataType();
        List<NamedExpression> output =
                new ArrayList<>(CollectionConverters.asJava(table.plan().output()));
        for (int field = 0; field < answer.length(); field++) {
            String name = answer.fields()[field].name();
            output.add(Attributes.alias(new GetStructField(call, field, Option.apply(name)), name));
        }
        return new Project(Attributes.seq(output), table.plan());
    }
}
