/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The training loop. An {@link io.paritas.inference.train.Objective} says what is trained and how well it does; a
 * {@link io.paritas.inference.train.Trainer} runs its epochs with checkpoints, early stop and a learning curve, so that the
 * same seed gives the same network, interrupted or not.
 */
package io.paritas.inference.train;
