/* SPDX-License-Identifier: Apache-2.0 */
/** The executors, where tasks of Spark's jobs run, what they return, how they end, what queries fail of, and cleaning up
 * after them; files that outlive a crash, and disks that fail. */
package io.paritas.spark.job;
