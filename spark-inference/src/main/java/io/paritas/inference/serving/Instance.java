/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.PublicApi;
import java.io.Serializable;

/**
 * A loaded model that answers batches.
 *
 * @param id its place in the deployment, such as {@code digits-1-parity-0-2}; a replacement has the same
 * @param generation larger for a replacement than for the instance before it
 * @param role deployed, parity or backup model
 * @param where for people, such as {@code executor 3 on 10.0.0.7}
 */
@PublicApi
public record Instance(String id, long generation, Role role, String where) implements Serializable {}
