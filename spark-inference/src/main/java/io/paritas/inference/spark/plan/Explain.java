/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

/** What is logged about plans. */
enum Explain {
    /** Nothing. */
    NONE,
    /** Why one was not coded. */
    UNCODED,
    /** Also how one is coded. */
    ALL
}
