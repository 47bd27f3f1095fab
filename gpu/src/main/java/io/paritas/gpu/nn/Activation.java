/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

/** The function applied to a sum with its bias. */
public enum Activation {
    /** The identity. */
    NONE,
    /** max(x, 0). */
    RELU
}
