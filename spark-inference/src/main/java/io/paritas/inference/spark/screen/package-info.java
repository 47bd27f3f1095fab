/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Screening of a Spark application's executors: {@link io.paritas.inference.spark.screen.ExecutorScreening} sends some of an
 * executor's batches to the driver and predicts those of others; {@link io.paritas.inference.spark.screen.DriverScreening} has
 * the jury there, reports who was wrong, and takes faulty executors out of use. {@link
 * io.paritas.inference.spark.screen.LostDeviceComponent} replaces those whose GPU is lost.
 */
package io.paritas.inference.spark.screen;
