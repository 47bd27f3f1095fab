/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The SQL functions over binary columns. {@code Signature} lists them and {@code Registration} adds them to sessions. {@code
 * CodeCall} is a call in a query, {@code StripeAggregate} a call of the aggregate. {@code UnitCoder} and {@code StripeCoder}
 * compute rows, and know nothing of plans. Only classes that Spark copies by reflection, or that generated code calls, are
 * public.
 */
package io.paritas.spark.ec.sql;
