/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import java.io.Serializable;

/**
 * A file of a checkpoint that is missing or damaged.
 *
 * @param file where it is, or should be
 * @param trouble what is wrong with it
 */
public record Damage(String file, String trouble) implements Serializable {}
