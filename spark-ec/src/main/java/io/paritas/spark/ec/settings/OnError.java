/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.settings;

/** What happens to a row that a function cannot compute. */
public enum OnError {
    /** Its task fails, and so does the job after the last attempt. */
    FAIL,
    /** Its result is null. */
    NULL
}
