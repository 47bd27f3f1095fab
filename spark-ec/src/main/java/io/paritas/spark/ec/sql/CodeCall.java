/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.sql;

import io.paritas.erasure.CodeName;
import io.paritas.spark.catalyst.CaseNode;
import io.paritas.spark.ec.settings.EcSettings;
import io.paritas.spark.ec.settings.OnError;
import java.io.Serializable;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ImplicitCastInputTypes;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.catalyst.expressions.objects.Invoke;
import org.apache.spark.sql.types.AbstractDataType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.ObjectType;
import scala.collection.Iterator;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/**
 * A call of one of the functions on rows; NULL if an argument is NULL. It evaluates, and generates code, as a call of a method
 * of a {@link UnitCoder} or {@link StripeCoder}. Public because Spark copies it by reflection.
 */
public final class CodeCall extends Expression implements ImplicitCastInputTypes, CaseNode, Serializable {
    private static final long serialVersionUID = 1;

    private final Signature signature;
    private final Seq<Expression> arguments;
    private final String onError;
    private transient Invoke invoke;

    /**
     * Creates a call in a query.
     *
     * @param onError value of {@link EcSettings#ON_ERROR}, not checked yet
     */
    public CodeCall(Signature signature, Seq<Expression> arguments, String onError) {
        this.signature = signature;
        this.arguments = arguments;
        this.onError = onError;
    }

    private List<Expression> list() {
        return Seqs.list(arguments);
    }

    @Override
    public Seq<AbstractDataType> inputTypes() {
        return Seqs.of(signature.types(arguments.size()));
    }

    @Override
    public TypeCheckResult checkInputDataTypes() {
        try {
            signature.checkCount(list());
            TypeCheckResult types = ImplicitCastInputTypes.super.checkInputDataTypes();
            if (types.isSuccess()) {
                checkArguments();
            }
            return types;
        } catch (IllegalArgumentException e) {
            return new TypeCheckResult.TypeCheckFailure(e.getMessage());
        }
    }

    private void checkArguments() {
        if (signature == Signature.UNSTRIPE) {
            StripeTypes.check(list().get(0).dataType(), list().get(1).dataType());
        }
        signature.code(list());
        onError();
    }

    private OnError onError() {
        return EcSettings.ON_ERROR.parse(onError);
    }

    @Override
    public DataType dataType() {
        return switch (signature) {
            case ENCODE, REPAIR -> DataTypes.createArrayType(DataTypes.BinaryType, false);
            case DECODE -> DataTypes.BinaryType;
            case VERIFY -> DataTypes.BooleanType;
            case UNSTRIPE -> StripeTypes.rows(idType());
            case STRIPE -> throw new IllegalStateException(signature + " is an aggregate");
        };
    }

    private DataType idType() {
        return StripeTypes.id(list().get(0).dataType());
    }

    private Object coder() {
        CodeName code = signature.code(list());
        return signature == Signature.UNSTRIPE
                ? new StripeCoder(code, idType(), onError())
                : new UnitCoder(code, onError());
    }

    private Invoke invoke() {
        if (invoke == null) {
            Object coder = coder();
            List<Expression> values = IntStream.range(0, list().size())
                    .filter(i -> i != signature.codeIndex())
                    .mapToObj(list()::get)
                    .toList();
            invoke = new Invoke(
                    new Literal(coder, new ObjectType(coder.getClass())),
                    signature.method(),
                    dataType(),
                    Seqs.of(values),
                    Seqs.of(List.of()),
                    true,
                    true,
                    true);
        }
        return invoke;
    }

    @Override
    public boolean nullable() {
        return !onError.strip().equalsIgnoreCase(OnError.FAIL.name())
                || list().stream().anyMatch(Expression::nullable);
    }

    @Override
    public boolean nullIntolerant() {
        return true;
    }

    @Override
    public boolean foldable() {
        return list().stream().allMatch(Expression::foldable);
    }

    /** Stateful like {@link Invoke}, which keeps the values of a row. */
    @Override
    public boolean stateful() {
        return true;
    }

    @Override
    public Object eval(InternalRow row) {
        return invoke().eval(row);
    }

    @Override
    public ExprCode doGenCode(CodegenContext context, ExprCode code) {
        return invoke().doGenCode(context, code);
    }

    @Override
    public Seq<Expression> children() {
        return arguments;
    }

    @Override
    public Expression withNewChildrenInternal(IndexedSeq<Expression> children) {
        return new CodeCall(signature, children, onError);
    }

    @Override
    public String prettyName() {
        return signature.function();
    }

    @Override
    public Iterator<Object> stringArgs() {
        return arguments.iterator().map(argument -> (Object) argument);
    }

    @Override
    public Object[] caseFields() {
        return new Object[] {signature, arguments, onError};
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
