/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

/**
 * The id of a unit.
 *
 * @param table number of the table
 * @param stripe of the table
 * @param unit number within the stripe: data below k, then parity
 */
public record UnitId(int table, long stripe, int unit) {}
