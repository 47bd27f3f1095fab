/* SPDX-License-Identifier: Apache-2.0 */
/**
 * How the plugin starts the parts of Paritas. Each part is a {@link io.paritas.spark.plugin.Component} that ServiceLoader finds;
 * {@link io.paritas.spark.plugin.DriverSide} and {@link io.paritas.spark.plugin.ExecutorSide} call all of them, and
 * {@link io.paritas.spark.plugin.ComponentContext} addresses a component's messages to its own driver side.
 */
package io.paritas.spark.plugin;
