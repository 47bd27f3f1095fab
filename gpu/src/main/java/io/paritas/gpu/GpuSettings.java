/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import io.paritas.settings.Setting;
import io.paritas.settings.SettingGroup;
import io.paritas.settings.ValueType;
import io.paritas.settings.Values;

/** The system properties of this module; {@code docs/configuration.md} is made from them. */
public final class GpuSettings {
    static final SettingGroup GROUP = new SettingGroup("io.paritas.gpu.");

    static final Setting<Integer> DEVICE = GROUP.jvm(
            "device",
            Values.between(0, 1023),
            "0",
            "The GPU to use, counted among those that the process can see (CUDA_VISIBLE_DEVICES). One for each JVM.");

    /** In bytes. */
    public static final Setting<Long> STAGING = GROUP.jvm(
            "staging",
            mebibytes(1, 1024),
            "16",
            "The page-locked memory of each transfer between host and GPU, half of it for each of two chunks: while one is"
                    + " computed, the other is filled. As much memory is taken on the GPU. At most 8 transfers run at a"
                    + " time.");

    /** In bytes. */
    public static final Setting<Long> GENERATE = GROUP.jvm(
            "generate",
            mebibytes(0, Integer.MAX_VALUE),
            "64",
            "How much the kernel `cuda` computes for a matrix with the kernel for any matrix, before a kernel for that matrix"
                    + " is generated, checked and compiled in the background. 0 generates it at once.");

    /** Whether large products of float16 run on Hopper's own matrix instruction. */
    public static final Setting<Boolean> WGMMA = GROUP.jvm(
            "wgmma",
            Values.bool(),
            "true",
            "Whether large products of float16 use the instruction wgmma, which GPUs of compute capability 9.0 have (H100,"
                    + " H200).");

    /** Whether the depth of products with few tiles is divided. */
    public static final Setting<Boolean> SPLIT_K = GROUP.jvm(
            "splitK",
            Values.bool(),
            "true",
            "Whether products with few rows and columns but many summands are divided along the sum (split-K), so that more"
                    + " multiprocessors have something to do. A prediction then depends in its last bits on how many rows are"
                    + " with it; with `false` it does not.");

    private GpuSettings() {}

    private static ValueType<Long> mebibytes(int least, int most) {
        return new ValueType<>("MiB", "a whole number of MiB from " + least + " to " + most, text -> {
            int number = Integer.parseInt(text);
            return number >= least && number <= most ? (long) number << 20 : null;
        });
    }
}
