/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Typed settings. A {@link io.paritas.settings.SettingGroup} declares {@link io.paritas.settings.Setting}s of a common prefix,
 * {@link io.paritas.settings.Values} has the types of their values. This package imports nothing of the project, so that every
 * package may declare settings without a circle.
 */
package io.paritas.settings;
