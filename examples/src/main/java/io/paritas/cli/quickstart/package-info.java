/* SPDX-License-Identifier: Apache-2.0 */
/**
 * {@code bin/paritas quickstart}: a real HDFS cluster on the loopback interface loses as many DataNodes as its policy
 * tolerates, but no data.
 *
 * <p>{@code QuickstartCommand} has the options, {@code Quickstart} is the run, {@code Cluster} and {@code Daemon} are the
 * processes, {@code CoderClient} is a client with one raw coder, {@code Report} is the output.
 *
 * <p>With {@code --spark}, {@code SparkQuickstart} is the run: it classifies images on a Spark cluster that loses an
 * executor, and every image gets its label. {@code Classification} is the output of its jobs.
 */
package io.paritas.cli.quickstart;
