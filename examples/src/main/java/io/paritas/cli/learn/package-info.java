/* SPDX-License-Identifier: Apache-2.0 */
/**
 * {@code paritas train}, {@code eval}, {@code inspect} and {@code export}: networks, parity models, learned codes and folded
 * networks on labelled images. The commands combine classes of the inference module; a {@link io.paritas.cli.learn.TrainingReport} stores
 * the results.
 */
package io.paritas.cli.learn;
