/* SPDX-License-Identifier: Apache-2.0 */
/** The Spark properties {@code spark.paritas.ec.*}. Every package of erasure-coded data may use them. */
package io.paritas.spark.ec.settings;
