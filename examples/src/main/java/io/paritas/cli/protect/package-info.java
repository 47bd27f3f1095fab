/* SPDX-License-Identifier: Apache-2.0 */
/**
 * {@code paritas protect} plans the checks of a model's layers; {@code paritas inject} studies the effect of faults on a model, and
 * which of them its checks find.
 */
package io.paritas.cli.protect;
