/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.cudf;

import ai.rapids.cudf.DType;
import ai.rapids.cudf.HostMemoryBuffer;

/**
 * Where the rows of a column of tensors are: lists of equally many values, none of them null, one behind another.
 *
 * @param first value of row 0, counted from the begin of the column of values: more than 0 in a slice
 * @param rows how many there are
 * @param values of each row; 0 if there are no rows
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
            throw new IllegalArgumentException("Kernels know no missing rows; got " + nulls + " nulls in " + rows
                    + " rows. Remove or replace them first");
        }
        if (rows == 0) {
            return new TensorLayout(0, 0, 0);
        }
        int first = offsets.getInt(0);
        int values = offsets.getInt(Integer.BYTES) - first;
        for (long row = 1; row < rows; row++) {
            int length = offsets.getInt((row + 1) * Integer.BYTES) - offsets.getInt(row * Integer.BYTES);
            if (length != values) {
                throw new IllegalArgumentException("The rows of a tensor column are equally long; row 0 has " + values
                        + " values, row " + row + " has " + length + ". Pad them first");
            }
        }
        return new TensorLayout(first, Math.toIntExact(rows), values);
    }

    /** Checks the types of a column and of its values. */
    static void check(DType type, DType values, long nulls) {
        if (!type.equals(DType.LIST) || !isKnown(values)) {
            throw new IllegalArgumentException("A tensor column has lists of FLOAT32, UINT8 or INT8; got " + type
                    + (values == null ? "" : " of " + values) + ". Cast it first");
        }
        if (nulls != 0) {
            throw new IllegalArgumentException(
                    "Kernels know no missing values; got " + nulls + " nulls in the lists. Replace them first");
        }
    }

    private static boolean isKnown(DType values) {
        return values != null
                && (values.equals(DType.FLOAT32) || values.equals(DType.UINT8) || values.equals(DType.INT8));
    }
}
