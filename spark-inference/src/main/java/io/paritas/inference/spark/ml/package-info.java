/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Coded and folded inference as stages of Spark ML pipelines: models that predict, and estimators that train them.
 * Needs {@code spark-mllib}. The other packages of inference on Spark do not need it and do not refer to this one.
 */
package io.paritas.inference.spark.ml;
