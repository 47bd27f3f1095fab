/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Parameter servers for recommendation models that lose nothing when one of them fails: embedding tables are erasure-coded,
 * the neural network is replicated, and updates are committed (thesis chapter 5). From below: {@code placement} says which server keeps
 * what, {@code table} keeps it, {@code protocol} is what is said, {@code server}, {@code client} and {@code membership} are who says
 * it, as machines without threads, {@code checkpoint} is what outlives them all, and {@code transport} and {@code host} run them on
 * Spark.
 */
package io.paritas.spark.ecrm;
