/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Erasure coding for plain files: {@code paritas encode}, {@code decode}, {@code verify} and {@code repair}.
 *
 * <p>A file becomes n unit files, of which any k suffice (with a local reconstruction code, most k). {@code docs/format.md} describes the
 * files byte by byte; {@link io.paritas.erasure.file.UnitHeader} writes their headers, {@link io.paritas.erasure.file.UnitGroup} has
 * the layout of the rest. Only the commands are public.
 */
package io.paritas.cli.file;
