/* SPDX-License-Identifier: Apache-2.0 */
/** Erasure-coded data as a component of the plugin: {@link io.paritas.spark.ec.plugin.ErasureCodingComponent}. */
package io.paritas.spark.ec.plugin;
