/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.cache;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.execution.columnar.InMemoryRelation;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractPartialFunction;

/** The order of cached rows, also of those that are kept erasure-coded. */
public final class CachedOrder {
    private CachedOrder() {}

    /**
     * Returns the order of a relation's rows, by its own columns; empty if there is none. Spark names the columns of the rows that it
     * cached first: copies of the relation, which a self-join has, have others in their places.
     */
    public static List<SortOrder> of(InMemoryRelation relation) {
        List<Attribute> first =
                CollectionConverters.asJava(relation.cacheBuilder().cachedPlan().output());
        List<Attribute> own = CollectionConverters.asJava(relation.output());
        return known(relation).stream()
                .map(key -> (SortOrder) key.transform(new AbstractPartialFunction<Expression, Expression>() {
                    @Override
                    public boolean isDefinedAt(Expression part) {
                        return place(part) >= 0;
                    }

                    @Override
                    public Expression apply(Expression part) {
                        return own.get(place(part));
                    }

                    private int place(Expression part) {
                        return IntStream.range(0, first.size())
                                .filter(i -> part instanceof Attribute column
                                        && column.exprId().equals(first.get(i).exprId()))
                                .findFirst()
                                .orElse(-1);
                    }
                }))
                .toList();
    }

    private static List<SortOrder> known(InMemoryRelation relation) {
        return relation.cacheBuilder() instanceof ErasureCodedBuilder kept
                ? kept.order()
                : CollectionConverters.asJava(relation.outputOrdering());
    }
}
