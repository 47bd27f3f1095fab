/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.folded;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The peak speed of a device.
 *
 * @param name name for messages
 * @param operations multiplications and additions per second, in the precision of the network
 * @param bandwidth memory bandwidth in bytes per second
 * @param elementBytes bytes of a value in that precision: 2 for FP16
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
            throw new IllegalArgumentException("the speeds of a device must be above 0, got " + operations
                    + " operations and " + bandwidth + " bytes per second of " + elementBytes + "-byte numbers");
        }
    }

    /**
     * A CPU in FP32, by its data sheet: an upper bound that real libraries stay well below.
     *
     * @param operationsPerCycle operations of one core: 32 with AVX2 and two multiply-add units, 64 with AVX-512
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

    /** Compute-to-memory-bandwidth ratio in operations per byte. A layer with less intensity waits for memory (thesis, 4.3.3). */
    public double cmr() {
        return operations / bandwidth;
    }

    /** Least seconds of a layer by the roofline model, in which arithmetic and memory traffic overlap. */
    double seconds(long operationCount, long bytes) {
        return Math.max(operationCount / operations, bytes / bandwidth);
    }

    /** For example {@code V100 (139 operations per byte)}. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%s (%.0f operations per byte)", name, cmr());
    }
}
