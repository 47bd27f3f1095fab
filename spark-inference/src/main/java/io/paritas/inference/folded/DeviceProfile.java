/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.folded;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What a device can do at best.
 *
 * @param name for messages
 * @param operations per second, each a multiplication or an addition, in the precision that the network runs in
 * @param bandwidth of its memory, in bytes per second
 * @param elementBytes of that precision: 2 for FP16
 */
public record DeviceProfile(String name, double operations, double bandwidth, int elementBytes) {
    /** NVIDIA T4, FP16. */
    public static final DeviceProfile T4 = new DeviceProfile("T4", 65e12, 320e9, 2);
    /** NVIDIA P4, FP16. */
    public static final DeviceProfile P4 = new DeviceProfile("P4", 11e12, 192e9, 2);
    /** NVIDIA V100, FP16. */
    public static final DeviceProfile V100 = new DeviceProfile("V100", 125e12, 900e9, 2);
    /** NVIDIA A100, FP16. */
    public static final DeviceProfile A100 = new DeviceProfile("A100", 312e12, 1555e9, 2);
    /** NVIDIA Jetson AGX Xavier, INT8. */
    public static final DeviceProfile XAVIER = new DeviceProfile("Xavier", 32e12, 136.5e9, 1);

    /** The devices of the thesis (4.3.3), by their data sheets. */
    public static final List<DeviceProfile> PUBLISHED = List.of(T4, P4, V100, A100, XAVIER);

    /** Checks the numbers. */
    public DeviceProfile {
        if (!(operations > 0) || !(bandwidth > 0) || elementBytes < 1) {
            throw new IllegalArgumentException("a device computes and reads more than nothing, got " + operations
                    + " operations and " + bandwidth + " bytes per second of " + elementBytes + "-byte numbers");
        }
    }

    /**
     * A CPU in FP32, by its data sheet: an upper bound, which real libraries stay well below.
     *
     * @param operationsPerCycle of one core: 32 with AVX2 and two units for multiply-add, 64 with AVX-512
     */
    public static DeviceProfile cpu(int cores, double gigahertz, int operationsPerCycle, double gigabytesPerSecond) {
        return new DeviceProfile(
                "CPU with " + cores + " cores",
                cores * gigahertz * 1e9 * operationsPerCycle,
                gigabytesPerSecond * 1e9,
                4);
    }

    /**
     * The published device of that name, in any case.
     *
     * @throws IllegalArgumentException if there is none; the message lists the names
     */
    public static DeviceProfile named(String name) {
        for (DeviceProfile device : PUBLISHED) {
            if (device.name.equalsIgnoreCase(name)) {
                return device;
            }
        }
        throw new IllegalArgumentException("no device is named '" + name + "'; there are "
                + PUBLISHED.stream().map(DeviceProfile::name).collect(Collectors.joining(", ")));
    }

    /** Compute to memory bandwidth ratio, operations for each byte: a layer below it waits for memory (thesis, 4.3.3). */
    public double cmr() {
        return operations / bandwidth;
    }

    /** Seconds that a layer takes at least: computing and memory traffic overlap (the roofline model). */
    double seconds(long operationCount, long bytes) {
        return Math.max(operationCount / operations, bytes / bandwidth);
    }

    /** For example {@code V100 (139 operations per byte)}. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%s (%.0f operations per byte)", name, cmr());
    }
}
