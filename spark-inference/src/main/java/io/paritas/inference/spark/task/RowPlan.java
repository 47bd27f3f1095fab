/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.spark.input.RowReader;
import java.io.Serializable;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.types.DataType;
import scala.collection.immutable.Seq;

/**
 * What tasks need to know of the rows.
 *
 * @param reader of the model's input
 * @param inputs the columns that it reads, bound to the rows
 * @param columns that are kept, bound to the rows
 * @param answer type of the column that is added
 * @param outputs values of a prediction
 * @param batchRows rows of one call of the model
 * @param onError what a row does that cannot be predicted
 */
public record RowPlan(
        RowReader reader,
        Seq<Expression> inputs,
        Seq<Expression> columns,
        DataType answer,
        int outputs,
        int batchRows,
        OnError onError)
        implements Serializable {
    private static final long serialVersionUID = 1;
}
