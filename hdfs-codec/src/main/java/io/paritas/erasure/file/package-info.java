/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The format of unit files, n = k + r of which hold a file: {@code docs/format.md}. Opens no files.
 *
 * <p>{@link io.paritas.erasure.file.UnitHeader} is the start of a unit file, {@link io.paritas.erasure.file.UnitGroup} the
 * layout of the rest. A {@link io.paritas.erasure.file.StripeBuffer} is one stripe in memory; a
 * {@link io.paritas.erasure.file.Reconstruction} fills it from the chunks that a
 * {@link io.paritas.erasure.file.StripeReader} finds intact.
 */
package io.paritas.erasure.file;
