/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.io.Serializable;

/**
 * A model that is loaded somewhere, and answers.
 *
 * @param id its place in the deployment, such as {@code digits-1-parity-0-2}; whoever takes the place of a lost one has
 *     the same
 * @param generation tells those apart: the later one is larger
 * @param role what it runs
 * @param where for people, such as {@code executor 3 on 10.0.0.7}
 */
public record Instance(String id, long generation, Role role, String where) implements Serializable {}
