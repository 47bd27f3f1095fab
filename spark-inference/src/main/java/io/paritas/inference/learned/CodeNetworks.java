/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.learned;

import io.paritas.inference.torch.Network;

/**
 * The networks that a code is learned with.
 *
 * @param encoder learns to make parity queries
 * @param decoder learns to reconstruct predictions
 * @param deployed the frozen model between them
 */
record CodeNetworks(Network encoder, Network decoder, Network deployed) {}
