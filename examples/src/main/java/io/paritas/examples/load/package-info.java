/* SPDX-License-Identifier: Apache-2.0 */
/**
 * {@code paritas load}: an open-loop load for servers of the Open Inference Protocol. Read it from {@link
 * io.paritas.examples.load.LoadCommand}; {@code OpenLoop} sends and measures, {@code InferenceClient} knows the protocol.
 */
package io.paritas.examples.load;
