/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The driver's side of coded inference: which units are in, who is late, whom to kill. A {@code Ledger} decides, and is
 * pure; the {@code Coordinator} hears the tasks, keeps the time, and kills.
 *
 * <p>Words: a <em>unit</em> is what one task of the operator predicts; n = k + r units are a <em>stripe</em>. Each unit
 * holds one batch, of data or of parity, of every coding group of its stripe, so any k of the units can answer for the
 * others. A unit first predicts its data. Only while other units of its stripe are still out does it go on with its
 * parity: a stripe of equally fast tasks costs no parity at all.
 */
package io.paritas.inference.spark.driver;
