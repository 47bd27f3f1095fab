/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

/** What is thought of an executor's processor. */
public enum Suspicion {
    /** It has not been wrong, or not for thousands of audited batches. */
    NONE,
    /** It has been wrong, which may have been a particle. */
    SUSPECT,
    /** It is wrong so often that it must not be used. */
    FAULTY
}
