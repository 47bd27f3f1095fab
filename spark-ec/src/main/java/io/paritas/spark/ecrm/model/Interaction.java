/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.model;

/** What the top network gets of the bottom network's output and of the pooled embeddings. */
public enum Interaction {
    /** All of them behind each other. */
    CONCATENATION,
    /**
     * The bottom network's output, and the inner products of all pairs of vectors, each pair once: those of embedding 1 with the
     * bottom output, of embedding 2 with the bottom output and embedding 1, and so on.
     */
    DOT
}
