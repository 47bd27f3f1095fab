/* SPDX-License-Identifier: Apache-2.0 */
/** {@code paritas tune}. */
package io.paritas.examples.tune;
