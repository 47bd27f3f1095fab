/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import org.apache.spark.sql.types.StructType;

/** What the partitions of a checkpoint hold. */
sealed interface Content {
    /** How it is in bytes: it is read where that is the same. */
    String layout();

    /**
     * The rows of a Dataset.
     *
     * @param layout {@link RowLayout}
     * @param schema the columns
     */
    record Rows(String layout, StructType schema) implements Content {}

    /**
     * The elements of an RDD.
     *
     * @param layout {@link ElementLayout}
     */
    record Elements(String layout) implements Content {}
}
