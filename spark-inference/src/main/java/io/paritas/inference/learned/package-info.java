/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Learned codes (thesis, chapter 7): an encoder and a decoder network, trained around a deployed model that stays as it is.
 * The parity queries that the encoder makes go through the deployed model itself; the decoder reconstructs missing
 * predictions from what is there.
 */
package io.paritas.inference.learned;
