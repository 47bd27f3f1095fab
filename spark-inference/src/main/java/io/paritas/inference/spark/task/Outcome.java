/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import java.util.Locale;
import org.apache.spark.unsafe.types.UTF8String;

/** How a row was answered. */
public enum Outcome {
    /** By the model. */
    PREDICTED,
    /** From the other rows of its coding group: approximately. */
    RECONSTRUCTED,
    /** Not at all. */
    UNAVAILABLE;

    private final UTF8String text = UTF8String.fromString(name().toLowerCase(Locale.ROOT));

    /** As the column has it. */
    UTF8String text() {
        return text;
    }
}
