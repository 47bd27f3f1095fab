/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import org.slf4j.LoggerFactory;

/**
 * Injects faults into the protected models of this JVM, for tests on real clusters. Works only in a JVM started with {@code
 * -Dio.paritas.inference.protect.faults=true}, and logs a warning. Thread-safe.
 */
public final class FaultInjection {
    private static final String PROPERTY = "io.paritas.inference.protect.faults";

    private static volatile LayerProbes current = LayerProbes.NONE;

    private FaultInjection() {}

    /**
     * Starts to inject faults into all protected models that an engine has loaded or loads.
     *
     * @throws IllegalStateException if this JVM was started without the property
     */
    public static void arm(LayerProbes disturbance) {
        if (!Boolean.getBoolean(PROPERTY)) {
            throw new IllegalStateException(
                    "a JVM must be started with -D" + PROPERTY + "=true for faults to be injected, this one was not");
        }
        LoggerFactory.getLogger(FaultInjection.class)
                .warn("Paritas: faults are injected into the predictions of this JVM");
        current = disturbance;
    }

    /** Stops injecting faults. */
    public static void disarm() {
        current = LayerProbes.NONE;
    }

    static LayerProbes current() {
        return current;
    }
}
