/* SPDX-License-Identifier: Apache-2.0 */
/** Spark's cache of columns on an erasure-coded store: {@link io.paritas.spark.ec.cache.ErasureCodedDatasets} is the entry. */
package io.paritas.spark.ec.cache;
