/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Labelled images: read, drawn, split, augmented, and converted to rows of floats for models.
 *
 * <p>{@link io.paritas.inference.data.DataSource} loads images by a name from the command line. Images stay bytes, in an
 * {@link io.paritas.inference.data.ImageSet}, until {@link io.paritas.inference.data.Augmentation} and
 * {@link io.paritas.inference.data.Normalization} convert them to floats. Random choices repeat exactly for a seed on every JDK,
 * because {@link java.util.Random} has specified algorithms. "Thesis" is CMU-CS-23-110, as {@link io.paritas.inference} cites it.
 */
package io.paritas.inference.data;
