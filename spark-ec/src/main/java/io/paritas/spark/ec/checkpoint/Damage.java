/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import io.paritas.PublicApi;
import java.io.Serializable;

/**
 * A missing or damaged file of a checkpoint.
 *
 * @param file path of the file
 * @param trouble what is wrong with it
 */
@PublicApi
public record Damage(String file, String trouble) implements Serializable {}
