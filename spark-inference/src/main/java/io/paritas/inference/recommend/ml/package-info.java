/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Recommendation models as stages of Spark ML pipelines. Needs {@code spark-mllib}, unlike the rest: no other package refers to
 * this one.
 */
package io.paritas.inference.recommend.ml;
