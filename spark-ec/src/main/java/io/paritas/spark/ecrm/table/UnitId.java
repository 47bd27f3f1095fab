/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

/**
 * A unit of a stripe.
 *
 * @param table its number
 * @param unit data below k, else parity
 */
public record UnitId(int table, long stripe, int unit) {}
