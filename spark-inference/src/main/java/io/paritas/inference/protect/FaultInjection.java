/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

/**
 * Disturbs the protected models of this JVM, to see on a real cluster what becomes of a fault. Works only in a JVM that was
 * started with {@code -Dio.paritas.inference.protect.faults=true}, and says so in the log. Thread-safe.
 */
public final class FaultInjection {
    private static final String PROPERTY = "io.paritas.inference.protect.faults";

    private static volatile Disturbance current = Disturbance.NONE;

    private FaultInjection() {}

    /**
     * From now on, in all protected models that were loaded by an engine.
     *
     * @throws IllegalStateException if this JVM was not started for that
     */
    public static void arm(Disturbance disturbance) {
        if (!Boolean.getBoolean(PROPERTY)) {
            throw new IllegalStateException("faults are injected only into a JVM that was started with -D" + PROPERTY
                    + "=true, this one was not");
        }
        System.getLogger(FaultInjection.class.getName())
                .log(System.Logger.Level.WARNING, "Paritas: faults are injected into the predictions of this JVM");
        current = disturbance;
    }

    /** No more. */
    public static void disarm() {
        current = Disturbance.NONE;
    }

    static Disturbance current() {
        return current;
    }
}
