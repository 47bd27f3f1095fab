/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

import io.paritas.PublicApi;

/** How the bottom network's output and the summed embedding rows become the input of the top network. */
@PublicApi
public enum Interaction {
    /** All numbers, concatenated. */
    CONCATENATION,
    /**
     * The bottom network's output, and the inner product of each pair of vectors: embedding 1 with the bottom output, embedding
     * 2 with the bottom output and with embedding 1, and so on.
     */
    DOT
}
