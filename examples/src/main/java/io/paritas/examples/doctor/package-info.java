/* SPDX-License-Identifier: Apache-2.0 */
/**
 * {@code paritas doctor}: does a Hadoop installation use our coder, and how fast is it? Hadoop itself does not tell: it
 * replaces a coder that it cannot find or create without a word.
 */
package io.paritas.examples.doctor;
