/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

/** Whether rows are exchanged before they are coded. */
enum Exchange {
    ALWAYS,
    /** Coding goes by the position of rows. */
    NEVER
}
