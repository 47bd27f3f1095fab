/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.ParitasRSRawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RSRawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;
import org.slf4j.LoggerFactory;

/**
 * The program of a JVM that {@link ColdStart} starts: coder, k, r, length of a unit. Prints the nanoseconds until the first
 * stripe was encoded, and until all were. The logger is initialised before, as in every client of HDFS.
 */
final class ColdMain {
    private ColdMain() {}

    public static void main(String[] arguments) throws IOException {
        int k = Integer.parseInt(arguments[1]);
        int r = Integer.parseInt(arguments[2]);
        int unitLength = Integer.parseInt(arguments[3]);
        byte[][] data = new byte[k][unitLength];
        Arrays.stream(data).forEach(new Random(1)::nextBytes);
        byte[][] parity = new byte[r][unitLength];
        long stripes = stripes(k, unitLength);
        LoggerFactory.getLogger(ColdMain.class).debug("measuring {}", arguments[0]);
        long start = System.nanoTime();
        RawErasureEncoder encoder = factory(arguments[0]).createEncoder(new ErasureCoderOptions(k, r));
        encoder.encode(data, parity);
        long first = System.nanoTime();
        for (long stripe = 1; stripe < stripes; stripe++) {
            encoder.encode(data, parity);
        }
        long end = System.nanoTime();
        System.out.println((first - start) + " " + (end - start));
    }

    /** Those whose data is closest to that of {@link ColdStart}, or one that has more. */
    static long stripes(int k, int unitLength) {
        return Math.max(1, Math.round((double) (ColdStart.MIB << 20) / ((long) k * unitLength)));
    }

    private static RawErasureCoderFactory factory(String coder) {
        return coder.equals(ParitasRSRawErasureCoderFactory.CODER_NAME)
                ? new ParitasRSRawErasureCoderFactory()
                : new RSRawErasureCoderFactory();
    }
}
