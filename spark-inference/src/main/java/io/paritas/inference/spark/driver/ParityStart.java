/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

/** When the parity of a stripe is begun for a segment that is out. An attempt at it that failed is always reason enough. */
public enum ParityStart {
    /** So that it is there when the segment is late, and no earlier. */
    LATE,
    /** As soon as a slot has nothing else to do, which costs processor time: for whoever wants to compare predictions with it. */
    IDLE
}
