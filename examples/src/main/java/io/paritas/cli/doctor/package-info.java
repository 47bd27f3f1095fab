/* SPDX-License-Identifier: Apache-2.0 */
/**
 * {@code paritas doctor}: checks whether a Hadoop installation uses our coder, and how fast it is. Hadoop itself silently
 * replaces a coder that it cannot find or create.
 */
package io.paritas.cli.doctor;
