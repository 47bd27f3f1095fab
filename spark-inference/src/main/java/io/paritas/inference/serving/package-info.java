/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Coded prediction serving: a front end answers queries from models that instances run elsewhere, and holds the tail of the
 * latencies by parity models (thesis, 8.3).
 *
 * <p>A {@link io.paritas.inference.serving.FrontEnd} has a lane for each version of each model. In a lane the {@code Broker}
 * decides everything and is pure: events and their times go in, what is to be done comes out. What a
 * {@link io.paritas.inference.serving.Policy} adds to it is a {@code Protection}: {@code Coding} is ParM's, {@code Racing} and
 * {@code BackedUp} are what it is compared with. Below are {@code http}, the protocol that clients speak, and {@code spark},
 * instances in long-running tasks.
 */
package io.paritas.inference.serving;
