/* SPDX-License-Identifier: Apache-2.0 */
/** The plugin that starts Paritas in a Spark application: {@link io.paritas.spark.ParitasPlugin}. */
package io.paritas.spark;
