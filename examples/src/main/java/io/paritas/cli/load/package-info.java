/* SPDX-License-Identifier: Apache-2.0 */
/**
 * {@code paritas load}: an open-loop load generator for servers of the Open Inference Protocol. Start reading at {@link
 * io.paritas.cli.load.LoadCommand}; {@code OpenLoop} sends and measures, {@code InferenceClient} speaks the protocol.
 */
package io.paritas.cli.load;
