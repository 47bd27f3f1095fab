/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.train;

/**
 * One pass over the samples.
 *
 * @param number from 1
 * @param loss mean over its batches
 * @param score after it, on the validation samples
 * @param seconds it took, validation included
 */
public record Epoch(int number, double loss, double score, double seconds) {}
