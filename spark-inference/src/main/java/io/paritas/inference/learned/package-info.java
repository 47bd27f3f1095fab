/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Learned codes: an encoder and a decoder network, trained around an unchanged deployed model. The deployed model itself answers
 * the encoder's parity queries; the decoder reconstructs missing predictions from the available ones and these answers.
 *
 * <p>Source: J. Kosaian, "Practical Coding-Theoretic Tools for Machine Learning Systems and by Machine Learning Systems", Ph.D.
 * thesis, Carnegie Mellon University, CMU-CS-23-110, 2023, chapter 7.
 */
package io.paritas.inference.learned;
