/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

/** The settings that other packages of this module read. */
public final class GpuSettings {
    private static final int MEBI = 20;

    private GpuSettings() {}

    /** {@code io.paritas.gpu.staging}, in bytes. */
    public static int stagingBytes() {
        return Setting.STAGING.intValue() << MEBI;
    }

    /** {@code io.paritas.gpu.generate}, in bytes. */
    public static long bytesBeforeGenerating() {
        return (long) Setting.GENERATE.intValue() << MEBI;
    }
}
