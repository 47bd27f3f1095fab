/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Programs for {@code spark-submit}. Most can inject a fault and show the recovery: they classify images of a folder and of a stream
 * of files, keep a join erasure-coded, and train a recommendation model. {@code ScreenExecutors} looks for faults of processors. They
 * run on Spark's class path with the jars that {@code bin/paritas spark-jars} prints. Short examples to copy are in {@code
 * io.paritas.examples}.
 */
package io.paritas.cli.spark.jobs;
