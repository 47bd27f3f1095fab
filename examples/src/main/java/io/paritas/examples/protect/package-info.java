/* SPDX-License-Identifier: Apache-2.0 */
/**
 * {@code paritas protect} plans how a model's layers are checked; {@code paritas inject} studies what faults do to a model, and
 * what its checks find.
 */
package io.paritas.examples.protect;
