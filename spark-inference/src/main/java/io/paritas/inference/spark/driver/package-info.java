/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The driver's side of coded inference: which segments are in, who is late, whom to kill. A {@code Ledger} decides, and is
 * pure; the {@code Coordinator} hears the tasks, keeps the time, and kills.
 *
 * <p>Words: a <em>segment</em> is what one task of the operator predicts; n = k + r segments are a <em>stripe</em>. Each segment
 * holds one batch, of data or of parity, of every coding group of its stripe, so any k of the segments can answer for the
 * others. A segment first predicts its data. Then its task asks the driver what to do for others ({@code Help}): it ends,
 * waits, or computes a parity of any segment. Parity is for stripes in danger: a stripe of equally fast tasks costs none at all.
 */
package io.paritas.inference.spark.driver;
