/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The plugin of this module, and how it starts the others of Paritas: {@link io.paritas.spark.ec.plugin.Members} finds them, and
 * {@link io.paritas.spark.ec.plugin.MemberContext} has what one says to the driver reach its own driver side.
 */
package io.paritas.spark.ec.plugin;
