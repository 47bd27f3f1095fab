/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

/** Limits the length of reasons. */
final class Texts {
    private static final int LIMIT = 1000;

    private Texts() {}

    /** Shortens a text to what people read; an empty text for null. */
    static String limited(String text) {
        if (text == null) {
            return "";
        }
        return text.length() <= LIMIT ? text : text.substring(0, LIMIT) + " ...";
    }
}
