/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Instances in long-running Spark tasks, and the ways between them and front ends. {@code Deployment}, on the driver, keeps a
 * job of one task for each instance, so that Spark gives each its slot and GPU and starts a lost one again, and one that is lost
 * often takes no other with it. {@code InstanceTask} loads the model and listens; it tells the driver's {@code Registry} where,
 * and the front end connects to it. All connections are Spark's own transport, with the application's authentication and
 * encryption; {@code Wire} has the bytes.
 */
package io.paritas.inference.serving.spark;
