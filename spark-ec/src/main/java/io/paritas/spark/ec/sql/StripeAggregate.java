/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.sql;

import io.paritas.spark.catalyst.CaseNode;
import io.paritas.spark.ec.settings.OnError;
import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ImplicitCastInputTypes;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate;
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.AbstractDataType;
import org.apache.spark.sql.types.DataType;
import scala.Option;
import scala.collection.Iterator;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/**
 * A call of {@code ec_stripe}. Not deterministic, because rows come in any order. Public because Spark copies it by
 * reflection.
 */
public final class StripeAggregate extends TypedImperativeAggregate<Stripes>
        implements ImplicitCastInputTypes, CaseNode, Serializable {
    private static final long serialVersionUID = 1;

    private final Seq<Expression> arguments;
    private final int mutableOffset;
    private final int inputOffset;
    private transient StripeCoder coder;
    private transient UnsafeProjection projection;

    /** Creates a call in a query; Spark keeps the buffer at the offsets. */
    public StripeAggregate(Seq<Expression> arguments, int mutableOffset, int inputOffset) {
        this.arguments = arguments;
        this.mutableOffset = mutableOffset;
        this.inputOffset = inputOffset;
    }

    private List<Expression> list() {
        return Seqs.list(arguments);
    }

    private DataType idType() {
        return list().get(0).dataType();
    }

    @Override
    public Seq<AbstractDataType> inputTypes() {
        return Seqs.of(Signature.STRIPE.types(arguments.size()));
    }

    @Override
    public TypeCheckResult checkInputDataTypes() {
        try {
            Signature.STRIPE.checkCount(list());
            TypeCheckResult types = ImplicitCastInputTypes.super.checkInputDataTypes();
            if (types.isSuccess()) {
                StripeTypes.checkId(idType());
                Signature.STRIPE.code(list());
            }
            return types;
        } catch (IllegalArgumentException e) {
            return new TypeCheckResult.TypeCheckFailure(e.getMessage());
        }
    }

    @Override
    public DataType dataType() {
        return StripeTypes.stripes(idType());
    }

    @Override
    public boolean nullable() {
        return false;
    }

    @Override
    public Option<Literal> defaultResult() {
        return Option.apply(new Literal(new GenericArrayData(new Object[0]), dataType()));
    }

    @Override
    public boolean deterministic() {
        return false;
    }

    private StripeCoder coder() {
        if (coder == null) {
            coder = new StripeCoder(Signature.STRIPE.code(list()), idType(), OnError.FAIL);
        }
        return coder;
    }

    @Override
    public Stripes createAggregationBuffer() {
        return new Stripes();
    }

    @Override
    public Stripes update(Stripes stripes, InternalRow row) {
        Object id = arguments.apply(0).eval(row);
        Object data = arguments.apply(1).eval(row);
        if (id != null && data != null) {
            stripes.add(InternalRow.copyValue(id), (byte[]) data, coder());
        }
        return stripes;
    }

    @Override
    public Stripes merge(Stripes stripes, Stripes other) {
        stripes.add(other, coder());
        return stripes;
    }

    @Override
    public Object eval(Stripes stripes) {
        return stripes.toArray(coder());
    }

    @Override
    public byte[] serialize(Stripes stripes) {
        if (projection == null) {
            projection = Stripes.projection(idType());
        }
        return stripes.write(projection);
    }

    @Override
    public Stripes deserialize(byte[] bytes) {
        return Stripes.read(bytes, idType());
    }

    @Override
    public int mutableAggBufferOffset() {
        return mutableOffset;
    }

    @Override
    public int inputAggBufferOffset() {
        return inputOffset;
    }

    @Override
    public ImperativeAggregate withNewMutableAggBufferOffset(int offset) {
        return new StripeAggregate(arguments, offset, inputOffset);
    }

    @Override
    public ImperativeAggregate withNewInputAggBufferOffset(int offset) {
        return new StripeAggregate(arguments, mutableOffset, offset);
    }

    @Override
    public Seq<Expression> children() {
        return arguments;
    }

    @Override
    public Expression withNewChildrenInternal(IndexedSeq<Expression> children) {
        return new StripeAggregate(children, mutableOffset, inputOffset);
    }

    @Override
    public String prettyName() {
        return Signature.STRIPE.function();
    }

    @Override
    public Iterator<Object> stringArgs() {
        return arguments.iterator().map(argument -> (Object) argument);
    }

    @Override
    public Object[] caseFields() {
        return new Object[] {arguments, mutableOffset, inputOffset};
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
