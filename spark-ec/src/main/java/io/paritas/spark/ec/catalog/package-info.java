/* SPDX-License-Identifier: Apache-2.0 */
/**
 * {@code CALL paritas.persist(...)}: erasure-coded rows for users of SQL. Each is a temporary view; there is no other list of
 * them, {@link io.paritas.spark.ec.catalog.KeptViews} finds them in the session. {@code CALL paritas.write_checkpoint(...)} and its
 * like are {@link io.paritas.spark.ec.ErasureCodedCheckpoint} for them.
 */
package io.paritas.spark.ec.catalog;
