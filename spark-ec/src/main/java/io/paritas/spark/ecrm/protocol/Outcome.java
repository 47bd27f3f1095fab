/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

/** How an attempt ends. */
public enum Outcome {
    COMMITTED,
    ABORTED
}
