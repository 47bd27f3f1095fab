/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

/** How executors are screened. */
enum ScreenMode {
    /** Not at all. */
    OFF,
    /** Some batches are predicted again by other executors. */
    AUDIT,
    /** Groups of coded predictions are compared with their parities, and those that do not fit are predicted again. */
    RESIDUAL,
    /** All of that, and copies of rows in the stacks of folded models are compared. */
    FULL;

    /** Whether batches are picked at random. */
    boolean audits() {
        return this == AUDIT || this == FULL;
    }

    boolean residuals() {
        return this == RESIDUAL || this == FULL;
    }

    boolean folds() {
        return this == FULL;
    }
}
