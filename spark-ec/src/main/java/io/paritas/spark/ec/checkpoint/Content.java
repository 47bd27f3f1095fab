/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import org.apache.spark.sql.types.StructType;

/** The content of a checkpoint's partitions. */
sealed interface Content {
    /** The layout in bytes; reading takes the same one. */
    String layout();

    /**
     * The rows of a Dataset.
     *
     * @param layout name of the {@link RowLayout}
     * @param schema the columns
     */
    record Rows(String layout, StructType schema) implements Content {}

    /**
     * The elements of an RDD.
     *
     * @param layout name of the {@link ElementLayout}
     */
    record Elements(String layout) implements Content {}
}
