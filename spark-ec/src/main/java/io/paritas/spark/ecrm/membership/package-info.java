/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The driver's part of the protocol, as a state machine without threads, sockets and clocks:
 * {@link io.paritas.spark.ecrm.membership.Membership} decides which tasks are servers, how attempts of dead workers
 * end, and when servers pause.
 *
 * <p>Source: J. Kosaian, "Practical Coding-Theoretic Tools for Machine Learning Systems and by Machine Learning
 * Systems", Ph.D. thesis, Carnegie Mellon University, CMU-CS-23-110, 2023, chapter 5.
 */
package io.paritas.spark.ecrm.membership;
