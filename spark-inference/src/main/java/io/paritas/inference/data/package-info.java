/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Labelled images: read, drawn, split, augmented and turned into the float rows that models take.
 *
 * <p>{@link io.paritas.inference.data.DataSource} loads what a user names on the command line. Images stay bytes, in an
 * {@link io.paritas.inference.data.ImageSet}, until {@link io.paritas.inference.data.Augmentation} and
 * {@link io.paritas.inference.data.Normalization} write them as floats. Whatever is random repeats exactly for its seed, on
 * every JDK: it is drawn by {@link java.util.Random}, whose algorithms are specified.
 */
package io.paritas.inference.data;
