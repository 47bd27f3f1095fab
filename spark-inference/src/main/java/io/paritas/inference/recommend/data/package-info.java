/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Training data of recommendation models: {@link io.paritas.inference.recommend.data.Samples} defines the columns of a Dataset,
 * {@link io.paritas.inference.recommend.data.CriteoLogs} reads Criteo's files,
 * {@link io.paritas.inference.recommend.data.GeneratedClicks} generates similar data, and
 * {@link io.paritas.inference.recommend.data.MiniBatches} cuts the rows of a partition into batches.
 *
 * <p>Source: Criteo AI Lab, "Kaggle Display Advertising Challenge Dataset", 2014, and "Criteo 1TB Click Logs Dataset".
 */
package io.paritas.inference.recommend.data;
