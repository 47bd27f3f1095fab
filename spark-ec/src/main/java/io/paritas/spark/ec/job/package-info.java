/* SPDX-License-Identifier: Apache-2.0 */
/** Spark's jobs, for those who clean up after them. */
package io.paritas.spark.ec.job;
