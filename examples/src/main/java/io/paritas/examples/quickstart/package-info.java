/* SPDX-License-Identifier: Apache-2.0 */
/**
 * {@code bin/paritas quickstart}: a real HDFS cluster on the loopback interface loses as many DataNodes as its policy
 * tolerates, and nothing of a file.
 *
 * <p>{@code QuickstartCommand} reads the options, {@code Quickstart} is the story, {@code Cluster} and {@code Daemon} are
 * the processes, {@code CoderClient} is HDFS as a client with one raw coder sees it, {@code Report} is what is printed.
 *
 * <p>With {@code --spark}, {@code SparkQuickstart} is the story: images are classified on a Spark cluster that loses an
 * executor, and none goes without its label; {@code Classification} is what each of its jobs printed.
 */
package io.paritas.examples.quickstart;
