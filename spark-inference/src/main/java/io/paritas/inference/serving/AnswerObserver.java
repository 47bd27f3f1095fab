/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.PublicApi;

/**
 * Looks at what the instances of a version answer, whether somebody still waits for it or not. It changes nothing, and returns at once: the
 * thread that calls it carries answers. Thread-safe.
 */
@PublicApi
public interface AnswerObserver {
    /** Observes nothing. */
    AnswerObserver NONE = new AnswerObserver() {};

    /** Takes each answer, right or wrong. */
    default void answered(InstanceAnswer answer) {}

    /** Whether coding groups are wanted: keeping their answers takes memory. */
    default boolean wantsGroups() {
        return false;
    }

    /** Takes a coding group that instances have answered in full, if groups are wanted. */
    default void completed(AnsweredGroup group) {}
}
