/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * Equally long ranges of the GPU's memory: the units that a kernel reads or writes. Addresses that are multiples of 16 are
 * fast; others work as well.
 */
public final class DeviceRegions {
    private final long length;
    private final long[] addresses;

    private DeviceRegions(long length, long[] addresses) {
        this.length = length;
        this.addresses = addresses;
    }

    /**
     * Returns the ranges of {@code length} bytes that start at these addresses.
     *
     * @throws IllegalArgumentException if the length is negative
     */
    public static DeviceRegions of(long length, long... addresses) {
        if (length < 0) {
            throw new IllegalArgumentException("a region must have at least 0 bytes, got " + length);
        }
        return new DeviceRegions(length, addresses.clone());
    }

    /** Returns ranges of {@code length} bytes whose starts are {@code stride} bytes apart. */
    public static DeviceRegions of(long length, long address, long stride, int count) {
        return of(
                length,
                LongStream.range(0, count).map(i -> address + i * stride).toArray());
    }

    /** The number of regions. */
    public int count() {
        return addresses.length;
    }

    /** The bytes of each region. */
    public long length() {
        return length;
    }

    /** Returns the regions with these numbers, in this order. */
    public DeviceRegions pick(int... regions) {
        return new DeviceRegions(
                length, Arrays.stream(regions).mapToLong(i -> addresses[i]).toArray());
    }

    /** Returns the addresses of these regions, then of others. */
    long[] addressesWith(DeviceRegions others) {
        return LongStream.concat(Arrays.stream(addresses), Arrays.stream(others.addresses))
                .toArray();
    }
}
