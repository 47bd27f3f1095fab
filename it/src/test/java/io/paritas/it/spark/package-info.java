/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Spark on a real cluster: a master, workers and executors are processes on this machine; executors are killed and frozen,
 * and predictions compared. The driver is the JVM of the tests.
 */
package io.paritas.it.spark;
