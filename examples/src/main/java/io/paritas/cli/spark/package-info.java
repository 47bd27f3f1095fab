/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Spark without an installation: a home made from the jars that Maven resolved, and a standalone cluster of real processes on this
 * machine. Only {@link io.paritas.cli.spark.SparkDaemonMain} is loaded with Spark; it runs in processes of its own, on Spark's class
 * path.
 */
package io.paritas.cli.spark;
