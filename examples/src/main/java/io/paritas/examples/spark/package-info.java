/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Spark where none is installed: a home made of the jars that Maven resolved, and a standalone cluster of real processes
 * on this machine. Nothing here but {@link io.paritas.examples.spark.SparkDaemonMain} is loaded with Spark; it runs in
 * processes of its own, on Spark's class path.
 */
package io.paritas.examples.spark;
