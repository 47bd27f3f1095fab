/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.paritas.inference.protect.gemm.Activations;
import io.paritas.inference.protect.gemm.Gemm;
import io.paritas.inference.protect.gemm.Probe;
import io.paritas.inference.protect.gemm.Scheme;
import io.paritas.inference.protect.gemm.Weights;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Measured speed of one core, or of another device: of arithmetic and of memory. A layer whose arithmetic intensity is below the
 * ratio of the two waits for memory, and has time to spare for checks (thesis, 4.3).
 *
 * @param name name of the processor, with the version of Java; or of the device, with the precision of its values
 * @param operations operations per second: on the CPU in a product that stays in the caches, on a GPU in a large one
 * @param bytes bytes per second: on the CPU read from memory, on a GPU copied
 */
public record DeviceRates(String name, double operations, double bytes) {
    private static final long MEASURED_NANOS = 150_000_000L;
    private static final int SIDE = 192;
    private static final int FLOATS = 1 << 25;

    /** Compute-to-memory-bandwidth ratio, in operations per byte. */
    @JsonIgnore
    public double ratio() {
        return operations / bytes;
    }

    /** Measures this machine; takes about half a second and 128 MiB. */
    static DeviceRates measure() {
        return new DeviceRates(thisName(), multiplication(), reading());
    }

    private static double multiplication() {
        Gemm gemm = new Gemm(Weights.pack(SIDE, SIDE, (k, n) -> k - n, new float[SIDE]));
        float[] a = new float[SIDE * SIDE];
        Gemm.Target c = new Gemm.Target(new float[SIDE * SIDE], 0, SIDE);
        double seconds = fastest(() -> gemm.run(Activations.of(a, SIDE, SIDE), c, Scheme.NONE, Probe.NONE)
                .checks());
        return 2.0 * SIDE * SIDE * SIDE / seconds;
    }

    /** Compares arrays, the fastest way for Java to read memory. */
    private static double reading() {
        float[] values = new float[FLOATS];
        return (double) Float.BYTES
                * FLOATS
                / fastest(() -> Arrays.mismatch(values, 0, FLOATS / 2, values, FLOATS / 2, FLOATS));
    }

    private static double fastest(LongSupplier work) {
        long results = 0;
        double best = Double.MAX_VALUE;
        long end = System.nanoTime() + MEASURED_NANOS;
        while (System.nanoTime() < end) {
            long start = System.nanoTime();
            results += work.getAsLong();
            best = Math.min(best, (System.nanoTime() - start) / 1e9);
        }
        return results == Long.MAX_VALUE ? 0 : best; // uses the results, or the compiler removes the work
    }

    static String thisName() {
        return processor() + ", Java " + Runtime.version().feature();
    }

    private static String processor() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).trim())
                    .findFirst()
                    .orElse(System.getProperty("os.arch"));
        } catch (IOException e) {
            return System.getProperty("os.arch"); // no /proc/cpuinfo except on Linux
        }
    }
}
