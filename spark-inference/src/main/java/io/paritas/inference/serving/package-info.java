/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Coded prediction serving: a front end answers queries from models that instances run elsewhere, and cuts the tail of the
 * latencies with parity models (thesis, 8.3).
 *
 * <p>A {@link io.paritas.inference.serving.FrontEnd} has a {@code Lane} for each version of each model. In a lane the
 * {@code Broker} decides everything and is pure: events and their times go in, effects come out. Its {@code ReplyStrategy} depends
 * on the {@link io.paritas.inference.serving.Policy}: {@code CodedStrategy} is ParM, {@code RaceStrategy} and
 * {@code BackupStrategy} are its baselines. The package {@code http} has the protocol that clients speak, {@code spark} the
 * instances in Spark tasks.
 *
 * <p>Source: J. Kosaian, "Practical Coding-Theoretic Tools for Machine Learning Systems and by Machine Learning Systems", Ph.D.
 * thesis, Carnegie Mellon University, CMU-CS-23-110, April 2023.
 */
package io.paritas.inference.serving;
