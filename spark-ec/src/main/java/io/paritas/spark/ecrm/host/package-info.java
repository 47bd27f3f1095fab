/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Servers, workers and the driver on Spark: {@link io.paritas.spark.ecrm.host.ParameterServers} runs servers in tasks, {@link
 * io.paritas.spark.ecrm.host.ParameterClient} is what tasks train with. {@code EventLoop} gives a machine its thread, its clock
 * and its way to the network.
 */
package io.paritas.spark.ecrm.host;
