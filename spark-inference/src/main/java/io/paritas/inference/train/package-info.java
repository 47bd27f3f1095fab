/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The training loop. An {@link io.paritas.inference.train.Objective} defines the networks, the loss and the score; a
 * {@link io.paritas.inference.train.Trainer} runs the epochs, with checkpoints and early stop. The same seed gives the same
 * network, interrupted or not. "Thesis" is CMU-CS-23-110, as {@link io.paritas.inference} cites it.
 */
package io.paritas.inference.train;
