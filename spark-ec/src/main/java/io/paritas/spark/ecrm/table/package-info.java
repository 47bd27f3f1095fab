/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What a server keeps: {@link io.paritas.spark.ecrm.table.Shard} its units of an erasure-coded table,
 * {@link io.paritas.spark.ecrm.table.Block} its replica of a block of the neural network. {@link
 * io.paritas.spark.ecrm.table.ModelSpec} says what there is.
 */
package io.paritas.spark.ecrm.table;
