/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import io.paritas.settings.Setting;
import io.paritas.settings.SettingGroup;
import io.paritas.settings.Values;
import java.time.Duration;

/** The system properties of {@link ModelPool}; {@code docs/configuration.md} is made from them. */
final class PoolSettings {
    static final SettingGroup GROUP = new SettingGroup("io.paritas.inference.pool.");

    static final Setting<Integer> MODELS = GROUP.jvm(
            "models",
            Values.atLeast(1).of("models"),
            "8",
            "How many loaded models a JVM keeps for its tasks; on several GPUs a model counts once. When it is full, the"
                    + " least recently used one is closed. Where tasks use more at once, these stay until another one"
                    + " is loaded.");

    static final Setting<Duration> IDLE =
            GROUP.jvm("idle", Values.positiveDuration(), "10min", "How long a loaded model stays that no task uses.");

    private PoolSettings() {}
}
