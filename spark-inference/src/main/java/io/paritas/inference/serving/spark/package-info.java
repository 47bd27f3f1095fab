/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Instances in long-running Spark tasks, and their connections to front ends. {@code PlanReader} reads the models that the settings
 * name into a {@code ServingPlan}. {@code Deployment}, on the driver, runs a job of one
 * task for each instance: Spark gives each a slot and a GPU, and an instance that fails often takes no other with it. Its
 * {@code InstanceSupervisor} starts a lost one again. {@code InstanceTask} loads the model, listens and registers with the
 * driver's {@code Registry}, and the front end connects to it. All connections are Spark's own transport, with the application's
 * authentication and encryption; {@code Wire} is the format of messages.
 */
package io.paritas.inference.serving.spark;
