/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import io.paritas.gpu.nn.Precision;
import io.paritas.settings.Setting;
import io.paritas.settings.SettingGroup;
import io.paritas.settings.Values;

/** The system properties of the model engine; {@code docs/configuration.md} is made from them. */
final class NetworkSettings {
    static final SettingGroup GROUP = new SettingGroup("io.paritas.gpu.network.");

    static final Setting<Precision> PRECISION = GROUP.jvm(
            "precision",
            Values.oneOf(Precision.class),
            "single",
            "What the engine `gpu` computes with: single (float32), or half (float16 with float32 sums, on the matrix"
                    + " units).");

    static final Setting<Integer> LANES = GROUP.jvm(
            "lanes",
            Values.between(1, 64),
            "2",
            "How many batches of a model the engine `gpu` runs at a time. Each lane has memory of its own for what lies"
                    + " between layers.");

    /** In MiB. */
    static final Setting<Integer> ARENA = GROUP.jvm(
            "arena",
            Values.between(1, 65_536),
            "512",
            "How much memory a lane has for what lies between the layers of a batch, in MiB; one row may take more. The"
                    + " engine `gpu` runs a larger batch in parts, and a batch of more than 1,024 rows, too.");

    private NetworkSettings() {}
}
