/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.spark.input.RowReader;
import io.paritas.inference.spark.settings.OnError;
import java.io.Serializable;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.types.DataType;
import scala.collection.immutable.Seq;

/**
 * How tasks read and write the rows of a prediction.
 *
 * @param reader reader of the model's input, bound to the rows
 * @param columns the columns that are kept, bound to the rows
 * @param answer type of the new column
 * @param outputs number of values of a prediction
 * @param batch the most that one call of the model gets
 * @param onError what happens to a row that cannot be predicted
 */
public record RowPlan(
        RowReader reader, Seq<Expression> columns, DataType answer, int outputs, BatchLimit batch, OnError onError)
        implements Serializable {
    private static final long serialVersionUID = 1;
}
