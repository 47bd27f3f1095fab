/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

/** What becomes of a sum with its bias. */
public enum Activation {
    /** It stays. */
    NONE,
    /** Negative ones become 0. */
    RELU
}
