/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.paritas.inference.protect.product.Activations;
import io.paritas.inference.protect.product.Probe;
import io.paritas.inference.protect.product.Product;
import io.paritas.inference.protect.product.Scheme;
import io.paritas.inference.protect.product.Weights;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * How fast one core of a machine, or another device, multiplies and how fast it reads memory, measured. What has less arithmetic
 * intensity than the ratio of the two waits for memory, and has time to spare for checks (thesis, 4.3).
 *
 * @param name of the processor, with the Java that runs on it; or of the device, with the precision of its values
 * @param operations a second, in a product that stays in the caches; or a large one
 * @param bytes a second that are read from memory; or copied
 */
public record DeviceRates(String name, double operations, double bytes) {
    private static final long MEASURED_NANOS = 150_000_000L;
    private static final int SIDE = 192;
    private static final int FLOATS = 1 << 25;

    /** Compute-to-memory-bandwidth ratio, operations for each byte. */
    @JsonIgnore
    public double ratio() {
        return operations / bytes;
    }

    @JsonIgnore
    boolean isThis() {
        return name.equals(thisName());
    }

    /** Measures this machine; takes about half a second and 128 MiB. */
    static DeviceRates measure() {
        return new DeviceRates(thisName(), multiplication(), reading());
    }

    private static double multiplication() {
        Product product = new Product(Weights.pack(SIDE, SIDE, (k, n) -> k - n, new float[SIDE]));
        float[] a = new float[SIDE * SIDE];
        Product.Target c = new Product.Target(new float[SIDE * SIDE], 0, SIDE);
        double seconds = fastest(() -> product.run(Activations.of(a, SIDE, SIDE), c, Scheme.NONE, Probe.NONE)
                .checks());
        return 2.0 * SIDE * SIDE * SIDE / seconds;
    }

    /** Comparing is what Java reads fastest. */
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
        return results == Long.MAX_VALUE ? 0 : best; // the results are wanted, or nothing would be computed
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
            return System.getProperty("os.arch"); // only Linux says it there
        }
    }
}
