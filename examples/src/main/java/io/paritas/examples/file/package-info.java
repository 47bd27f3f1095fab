/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Erasure coding for plain files: {@code paritas encode}, {@code decode}, {@code verify} and {@code repair}.
 *
 * <p>A file becomes n unit files, of which any k suffice, or most k of a local reconstruction code. The unit files are described byte by byte in
 * {@code docs/format.md}; {@link io.paritas.erasure.file.UnitHeader} writes their headers,
 * {@link io.paritas.erasure.file.UnitGroup} knows where everything else is. Only the commands are public.
 */
package io.paritas.examples.file;
