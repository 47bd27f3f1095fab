/* SPDX-License-Identifier: Apache-2.0 */
/**
 * A worker as a state machine without threads, sockets and clocks: {@link io.paritas.spark.ecrm.client.Worker} pulls
 * parameters and pushes gradients; a {@link io.paritas.spark.ecrm.client.Pull} and a
 * {@link io.paritas.spark.ecrm.client.Push} are its operations.
 *
 * <p>Source: J. Kosaian, "Practical Coding-Theoretic Tools for Machine Learning Systems and by Machine Learning
 * Systems", Ph.D. thesis, Carnegie Mellon University, CMU-CS-23-110, 2023, chapter 5.
 */
package io.paritas.spark.ecrm.client;
