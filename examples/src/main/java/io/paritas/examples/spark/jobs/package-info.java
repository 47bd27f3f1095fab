/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Programs for {@code spark-submit} that classify images, coded: a folder, a stream of files, and a script in SQL. They run on
 * Spark's class path with the jars that {@code bin/paritas spark-jars} prints, and are meant to be read and copied.
 */
package io.paritas.examples.spark.jobs;
