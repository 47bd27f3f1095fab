/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.ModelException;
import io.paritas.inference.spark.task.Attributes;
import io.paritas.spark.catalyst.CaseNode;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Unevaluable;
import org.apache.spark.sql.catalyst.expressions.VariableReference;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.types.DataType;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A call of one of the functions in a query. Never evaluated: {@link ExtractCalls} replaces it. Public because Spark
 * copies it by reflection.
 */
public final class PredictCall extends Expression implements Unevaluable, CaseNode {
    private static final long serialVersionUID = 1;

    private final Kind kind;
    private final Seq<Expression> arguments;
    private final Map<String, String> session;

    /**
     * Creates a call.
     *
     * @param session what the session had set when the call was analysed: what it sets later does not change the call
     */
    public PredictCall(Kind kind, Seq<Expression> arguments, Map<String, String> session) {
        this.kind = kind;
        this.arguments = arguments;
        this.session = session;
    }

    /** A call with the settings that the session has now. */
    static PredictCall of(Kind kind, Seq<Expression> arguments) {
        return new PredictCall(kind, arguments, Options.ofSession());
    }

    Call call() {
        return Call.of(kind, list(), session);
    }

    /** The columns that the model reads. */
    List<Expression> inputs() {
        return Call.inputs(kind, list());
    }

    /** The other arguments, if they read variables of the session. */
    List<Expression> variables() {
        List<Expression> inputs = inputs();
        return list().stream()
                .filter(argument -> !inputs.contains(argument))
                .filter(argument -> Calls.has(argument, part -> part instanceof VariableReference))
                .toList();
    }

    private List<Expression> list() {
        return CollectionConverters.asJava(arguments);
    }

    @Override
    public TypeCheckResult checkInputDataTypes() {
        try {
            ResolvedCall.of(call(), inputs());
            return TypeCheckResult.TypeCheckSuccess$.MODULE$;
        } catch (IllegalArgumentException | ModelException | UncheckedIOException e) {
            return new TypeCheckResult.TypeCheckFailure(e.getMessage());
        }
    }

    @Override
    public DataType dataType() {
        return ResolvedCall.answer(call());
    }

    @Override
    public boolean nullable() {
        return false;
    }

    @Override
    public boolean foldable() {
        return false;
    }

    @Override
    public Seq<Expression> children() {
        return arguments;
    }

    @Override
    public Expression withNewChildrenInternal(IndexedSeq<Expression> children) {
        return new PredictCall(kind, Attributes.seq(CollectionConverters.asJava(children)), session);
    }

    @Override
    public String prettyName() {
        return kind.function();
    }

    @Override
    public Object[] caseFields() {
        return new Object[] {kind, arguments, session};
    }

    @Override
    public boolean equals(Object other) {
        return CaseNode.equal(this, other);
    }

    @Override
    public int hashCode() {
        return CaseNode.hash(this);
    }

    @Override
    public Object eval(InternalRow row) {
        throw new UnsupportedOperationException(kind.function() + " is never evaluated");
    }

    @Override
    public ExprCode doGenCode(CodegenContext context, ExprCode code) {
        throw new UnsupportedOperationException(kind.function() + " is never evaluated");
    }
}
