/* SPDX-License-Identifier: Apache-2.0 */
/**
 * {@code CALL paritas.persist(...)}: rows that are kept erasure-coded, for who has nothing but SQL. What is kept is a
 * temporary view, and no other list is: {@link io.paritas.spark.ec.catalog.KeptViews} finds them in the session.
 */
package io.paritas.spark.ec.catalog;
