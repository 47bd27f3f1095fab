/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.client;

import java.util.Arrays;

/** What is asked for was on servers that have failed, and cannot be decoded from others. */
public final class LostException extends RuntimeException {
    private static final long serialVersionUID = 1;

    LostException(int table, long[] numbers) {
        super(
                (table < 0 ? "Blocks " : "Stripes of table " + table + " ") + Arrays.toString(numbers)
                        + " are lost: more servers failed at once than the redundancy of the model bears. Restore a checkpoint of it");
    }
}
