/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.cudf;

import ai.rapids.cudf.DType;
import ai.rapids.cudf.HostMemoryBuffer;

/**
 * The place of the rows in a column of tensors: lists of equally many values without nulls, one behind another.
 *
 * @param first index of row 0's first value in the column of values; above 0 in a slice
 * @param rows number of rows
 * @param values in a row; 0 if there are no rows
 */
record TensorLayout(long first, int rows, int values) {
    /**
     * Checks a column.
     *
     * @param offsets one more than rows; null if there are no rows
     * @throws IllegalArgumentException if rows are missing or not equally long
     */
    static TensorLayout of(long rows, long nulls, HostMemoryBuffer offsets) {
        if (nulls != 0) {
            throw new IllegalArgumentException("rows must not be null, got " + nulls + " nulls in " + rows
                    + " rows: remove or replace them first");
        }
        if (rows == 0) {
            return new TensorLayout(0, 0, 0);
        }
        int first = offsets.getInt(0);
        int values = offsets.getInt(Integer.BYTES) - first;
        for (long row = 1; row < rows; row++) {
            int length = offsets.getInt((row + 1) * Integer.BYTES) - offsets.getInt(row * Integer.BYTES);
            if (length != values) {
                throw new IllegalArgumentException("the rows of a tensor column must be equally long, row 0 has"
                        + " " + values
                        + " values, row " + row + " has " + length + ": pad them first");
            }
        }
        return new TensorLayout(first, Math.toIntExact(rows), values);
    }

    /** Checks the types of a column and of its values. */
    static void check(DType type, DType values, long nulls) {
        if (!type.equals(DType.LIST) || !isKnown(values)) {
            throw new IllegalArgumentException("a tensor column must have lists of FLOAT32, UINT8 or INT8, got " + type
                    + (values == null ? "" : " of " + values) + ": cast it first");
        }
        if (nulls != 0) {
            throw new IllegalArgumentException(
                    "values must not be null, got " + nulls + " nulls in the lists: replace them first");
        }
    }

    private static boolean isKnown(DType values) {
        return values != null
                && (values.equals(DType.FLOAT32) || values.equals(DType.UINT8) || values.equals(DType.INT8));
    }
}
