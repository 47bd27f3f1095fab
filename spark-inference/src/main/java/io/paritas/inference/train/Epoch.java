/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.train;

import io.paritas.PublicApi;

/**
 * One pass over the samples.
 *
 * @param number number, from 1
 * @param loss mean loss of its batches
 * @param score score on the validation samples after it
 * @param seconds duration in seconds, with validation
 */
@PublicApi
public record Epoch(int number, double loss, double score, double seconds) {}
