/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Unit files: how n = k + r of them hold a file, byte by byte, wherever they are kept. No files are opened here.
 *
 * <p>The format is described in {@code docs/format.md}. {@link io.paritas.erasure.file.UnitHeader} is how a unit file
 * starts, {@link io.paritas.erasure.file.UnitGroup} knows where everything else is, a
 * {@link io.paritas.erasure.file.StripeBuffer} is one stripe in memory, and a
 * {@link io.paritas.erasure.file.Reconstruction} fills it from what a {@link io.paritas.erasure.file.StripeReader} finds
 * intact.
 */
package io.paritas.erasure.file;
