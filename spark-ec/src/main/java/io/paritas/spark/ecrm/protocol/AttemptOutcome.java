/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

/** How an attempt to commit an iteration ends. */
public enum AttemptOutcome {
    COMMITTED,
    ABORTED
}
