/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Creates and binds Spark's attributes, from Java. */
public final class Attributes {
    private Attributes() {}

    /** A new attribute. */
    public static Attribute of(String name, DataType type, boolean nullable) {
        return new AttributeReference(
                name, type, nullable, Metadata.empty(), NamedExpression.newExprId(), seq(List.<String>of()));
    }

    /** An expression as a new column. */
    public static Alias alias(Expression expression, String name) {
        return new Alias(expression, name, NamedExpression.newExprId(), seq(List.of()), Option.empty(), seq(List.of()));
    }

    /** New attributes. */
    static List<Attribute> of(StructType columns) {
        return Arrays.stream(columns.fields())
                .map(field -> of(field.name(), field.dataType(), field.nullable()))
                .toList();
    }

    /** Binds attributes to their positions in rows. */
    public static Seq<Expression> bind(List<Attribute> wanted, List<Attribute> rows) {
        return seq(wanted.stream().map(attribute -> bind(attribute, rows)).toList());
    }

    private static Expression bind(Attribute wanted, List<Attribute> rows) {
        return new BoundReference(place(wanted, rows), wanted.dataType(), wanted.nullable());
    }

    /** The positions of attributes in rows. */
    public static int[] places(List<Attribute> wanted, List<Attribute> rows) {
        return wanted.stream().mapToInt(attribute -> place(attribute, rows)).toArray();
    }

    private static int place(Attribute wanted, List<Attribute> rows) {
        for (int i = 0; i < rows.size(); i++) {
            if (rows.get(i).exprId().equals(wanted.exprId())) {
                return i;
            }
        }
        throw new IllegalStateException(wanted + " is not among " + rows);
    }

    /** Copies a list to a Scala sequence. */
    public static <T> Seq<T> seq(List<? extends T> list) {
        return CollectionConverters.<T>asScala(List.<T>copyOf(list)).toSeq();
    }
}
