/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.quickstart;

import java.time.Duration;

/**
 * A file that went through HDFS, in one direction.
 *
 * @param bytes how long it is
 * @param time what HDFS's streams took, without reading or digesting the file itself
 * @param decoding the part of it that the raw coder took, which HDFS tells for reads only
 * @param sha256 of what was written or read, in hexadecimal
 */
record Transfer(long bytes, Duration time, Duration decoding, String sha256) {
    /** Megabytes (10<sup>6</sup>) per second. */
    double megabytesPerSecond() {
        return bytes * 1e3 / time.toNanos();
    }

    /** The faster one. */
    static Transfer faster(Transfer a, Transfer b) {
        return a.time.compareTo(b.time) <= 0 ? a : b;
    }
}
