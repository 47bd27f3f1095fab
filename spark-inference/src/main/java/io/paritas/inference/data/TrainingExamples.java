/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import io.paritas.PublicApi;

/**
 * What a training learns from.
 *
 * @param train examples to train on
 * @param validation examples to choose the best epoch by
 * @param description one line on both, for descriptors and checkpoints
 */
@PublicApi
public record TrainingExamples(Examples train, Examples validation, String description) {}
