/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import java.time.Duration;

/**
 * A transfer of a file to or from HDFS.
 *
 * @param bytes length of the file
 * @param time spent in HDFS's streams, without reading or digesting the local file
 * @param decoding the raw coder's part of it, which HDFS reports for reads only
 * @param sha256 of the transferred bytes, in hexadecimal
 */
record Transfer(long bytes, Duration time, Duration decoding, String sha256) {
    /** Megabytes (10<sup>6</sup>) per second. */
    double megabytesPerSecond() {
        return bytes * 1e3 / time.toNanos();
    }

    /** Returns the faster one. */
    static Transfer faster(Transfer a, Transfer b) {
        return a.time.compareTo(b.time) <= 0 ? a : b;
    }
}
