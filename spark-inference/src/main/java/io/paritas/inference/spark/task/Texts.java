/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

/** Reasons, as a column and a block can hold them. */
final class Texts {
    private static final int LIMIT = 1000;

    private Texts() {}

    /** Never null, and not longer than people read. */
    static String limited(String text) {
        if (text == null) {
            return "";
        }
        return text.length() <= LIMIT ? text : text.substring(0, LIMIT) + " ...";
    }
}
