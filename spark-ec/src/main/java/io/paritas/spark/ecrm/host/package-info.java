/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Servers, workers and the driver on Spark. {@link io.paritas.spark.ecrm.host.ParameterServers} runs the servers of a
 * model in tasks; {@link io.paritas.spark.ecrm.host.ParameterClient} is what training tasks use. {@code EventLoop}
 * gives each state machine a thread, a clock and a network connection; {@code ServerSupervisor} runs on the driver,
 * {@code Candidate} in the tasks.
 */
package io.paritas.spark.ecrm.host;
