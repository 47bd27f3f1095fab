/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

/** What a row does that cannot be predicted. */
public enum OnError {
    /** It fails its task, and the job when that happens again. */
    FAIL,
    /** Its prediction is null. */
    NULL,
    /** Its prediction is null, and a column says why. */
    COLUMN
}
