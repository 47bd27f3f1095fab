/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

/** How executors are screened. */
enum ScreenMode {
    /** Not at all. */
    OFF,
    /** Some batches are predicted again by other executors. */
    AUDIT
}
