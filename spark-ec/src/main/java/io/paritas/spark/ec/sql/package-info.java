/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The SQL functions over binary columns. {@code Signature} says what there is and {@code Registration} makes sessions know
 * it; {@code CodeCall} is a call in a query, and {@code StripeAggregate} a call of the aggregate. {@code UnitCoder} and
 * {@code StripeCoder} compute the rows, and know nothing of plans. Public is only what Spark copies by reflection, or what
 * the code that it generates calls.
 */
package io.paritas.spark.ec.sql;
