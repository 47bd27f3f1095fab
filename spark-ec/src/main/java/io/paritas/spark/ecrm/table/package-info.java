/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The data of a server: {@link io.paritas.spark.ecrm.table.Shard} keeps its units of an erasure-coded table,
 * {@link io.paritas.spark.ecrm.table.Block} its replica of a block of the neural network.
 * {@link io.paritas.spark.ecrm.table.ModelSpec} describes a model: tables, blocks, and their redundancy.
 *
 * <p>Source: J. Kosaian, "Practical Coding-Theoretic Tools for Machine Learning Systems and by Machine Learning
 * Systems", Ph.D. thesis, Carnegie Mellon University, CMU-CS-23-110, 2023, chapter 5.
 */
package io.paritas.spark.ecrm.table;
