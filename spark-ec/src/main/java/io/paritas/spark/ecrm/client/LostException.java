/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.client;

import java.util.Arrays;

/** What is asked for was on two servers that have failed one soon after the other, and cannot be decoded. */
public final class LostException extends RuntimeException {
    private static final long serialVersionUID = 1;

    LostException(int table, long[] numbers) {
        super(
                (table < 0 ? "Blocks " : "Stripes of table " + table + " ") + Arrays.toString(numbers)
                        + " are lost: a second server failed before a first one had been recovered. Restore a checkpoint of the model");
    }
}
