/* SPDX-License-Identifier: Apache-2.0 */
/** Cleaning up after Spark's jobs. */
package io.paritas.spark.ec.job;
