/* SPDX-License-Identifier: Apache-2.0 */
/**
 * {@code paritas train}, {@code eval} and {@code inspect}: networks, parity models, learned codes and folded networks on
 * labelled images. The commands only put together what the inference module has; a
 * {@link io.paritas.examples.learn.TrainingReport} keeps what came out.
 */
package io.paritas.examples.learn;
