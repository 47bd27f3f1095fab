/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Programs for {@code spark-submit}: they classify images, coded, of a folder and of a stream of files; keep a join
 * erasure-coded; and run scripts in SQL. They run on Spark's class path with the jars that {@code bin/paritas spark-jars}
 * prints, and are meant to be read and copied.
 */
package io.paritas.examples.spark.jobs;
