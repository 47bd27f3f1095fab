/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import io.paritas.erasure.BitMatrix;
import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.ErasureCode;
import io.paritas.erasure.GaloisField;
import io.paritas.erasure.Generators;
import io.paritas.erasure.Matrix;
import io.paritas.erasure.StripCode;
import io.paritas.erasure.kernel.KernelChoice;
import io.paritas.erasure.kernel.KernelProvider;
import io.paritas.erasure.kernel.Program;
import io.paritas.gpu.CudaEvent;
import io.paritas.gpu.Device;
import io.paritas.gpu.DeviceMemory;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;

/**
 * How fast codes are encoded on the GPU, beside a copy of as many bytes and the G-CRS kernel. Rates are in 10<sup>9</sup>
 * bytes of <i>data</i> (k units) per second, from the median of some launches, timed by events on the GPU; then units of
 * the host, there and back, beside the CPU's kernel. Every parity of ours was compared before with the CPU's.
 *
 * <pre>
 * gpu/on-gpu.sh bench           # or with its class path: KernelBench [MiB of a unit]...
 * </pre>
 *
 * <p>On the emulator it runs too, with small units and one launch: a test of this program, no measurement.
 */
public final class KernelBench {
    private static final int WARM_UP = 5;
    private static final int[][] SHAPES = {{4, 2}, {6, 3}, {10, 4}, {10, 8}, {10, 16}};
    private static final int CHECKED_BYTES = 64 << 10;

    private final Device device;
    private final PrintStream out;
    private final int rounds;
    private final int k;
    private final int r;
    private final long unit;
    private final DeviceMemory data;
    private final DeviceMemory parity;
    private double copy;

    private KernelBench(Device device, int k, int r, long unit, PrintStream out) {
        this.out = out;
        this.device = device;
        this.rounds = device.isEmulated() ? 1 : 21;
        this.k = k;
        this.r = r;
        this.unit = unit;
        data = DeviceMemory.allocate(k * unit);
        parity = DeviceMemory.allocate(Math.max(k, r) * unit); // a copy of the data, too
        byte[] bytes = new byte[(int) Math.min(k * unit, 16 << 20)];
        new Random(k).nextBytes(bytes);
        for (long at = 0; at < k * unit; at += bytes.length) {
            byte[] part = Arrays.copyOf(bytes, (int) Math.min(bytes.length, k * unit - at));
            device.upload(data.address() + at, part);
        }
    }

    public static void main(String[] arguments) {
        try (Device device = new Device()) {
            System.out.println(device.gpu + ", " + device.gpu.multiprocessors() + " multiprocessors, JDK "
                    + System.getProperty("java.version"));
            long[] units = arguments.length > 0
                    ? Arrays.stream(arguments)
                            .mapToLong(mib -> Long.parseLong(mib) << 20)
                            .toArray()
                    : device.isEmulated() ? new long[] {70 << 10} : new long[] {4 << 20, 64 << 20};
            for (long unit : units) {
                for (int[] shape : SHAPES) {
                    measure(device, shape[0], shape[1], unit / 256 * 256, System.out);
                }
            }
        }
    }

    static void measure(Device device, int k, int r, long unit, PrintStream out) {
        new KernelBench(device, k, r, unit, out).run();
    }

    private void run() {
        out.printf("%n(%d,%d), units of %d bytes%n", k, r, unit);
        double bytes = (k + r) * (double) unit;
        copy = bytes
                / 1e6
                / median(() -> device.stream.copyOnDevice(parity.address(), data.address(), k * unit))
                * 2
                * k
                / (k + r);
        out.printf("  %-34s %10.1f GB/s moved%n", "copy", copy);
        bytes("rs, generated", Generators.hdfsCauchy(new CodeParameters(k, r)), true);
        bytes("rs, any matrix", Generators.hdfsCauchy(new CodeParameters(k, r)), false);
        if (r <= 4) {
            bytes("paritas, generated", Generators.paritas(new CodeParameters(k, r)), true);
        }
        strips(GaloisField.ofWidth(8));
        StripCode smallest = StripCode.cauchy(new CodeParameters(k, r));
        if (smallest.w() != 8) {
            strips(smallest.generator().field());
        }
        host();
        parity.close();
        data.close();
    }

    private void bytes(String name, Matrix generator, boolean generated) {
        Program program = Program.product(generator.toRows());
        DeviceKernel kernel = generated ? DeviceKernels.bytes(program) : DeviceKernels.bytesOfAnyMatrix(program);
        int length = (int) Math.min(unit, CHECKED_BYTES);
        kernel.apply(
                DeviceRegions.of(length, data.address(), unit, k),
                DeviceRegions.of(length, parity.address(), unit, r),
                device.stream);
        byte[][] expected = new byte[r][length];
        ErasureCode.of(generator, KernelChoice.named("plain").provider()).encode(download(data, k, length), expected);
        check(name, expected, download(parity, r, length));
        line(
                name,
                () -> kernel.apply(
                        DeviceRegions.of(unit, data.address(), unit, k),
                        DeviceRegions.of(unit, parity.address(), unit, r),
                        device.stream));
    }

    private void strips(GaloisField field) {
        int w = field.w();
        int[][] coefficients = new int[r][k];
        for (int i = 0; i < r; i++) {
            for (int j = 0; j < k; j++) {
                coefficients[i][j] = field.inverse(i ^ (r + j));
            }
        }
        List<BitSet> rows = BitMatrix.rows(Matrix.ofRows(field, coefficients));
        StripCode code = StripCode.of(Matrix.ofRows(field, coefficients));
        String suffix = ", w = " + w;
        strips("strips, generated" + suffix, code, DeviceKernels.strips(w, k, rows));
        strips("strips, any matrix" + suffix, code, DeviceKernels.stripsOfAnyMatrix(w, k, rows));
        Gcrs gcrs = new Gcrs(device.gpu, w, k, rows);
        line(
                "G-CRS" + suffix,
                () -> gcrs.apply(data.address(), parity.address(), unit / (8L * w) * (8L * w), device.stream));
    }

    private void strips(String name, StripCode code, DeviceKernel kernel) {
        int length = (int) Math.min(unit, CHECKED_BYTES) / (16 * code.w()) * (16 * code.w());
        kernel.apply(
                DeviceRegions.of(length, data.address(), unit, k),
                DeviceRegions.of(length, parity.address(), unit, r),
                device.stream);
        byte[][] expected = new byte[r][length];
        code.encode(download(data, k, length), expected);
        check(name, expected, download(parity, r, length));
        long whole = unit / (16L * code.w()) * (16L * code.w());
        line(
                name,
                () -> kernel.apply(
                        DeviceRegions.of(whole, data.address(), unit, k),
                        DeviceRegions.of(whole, parity.address(), unit, r),
                        device.stream));
    }

    /** Units in arrays: what a caller of ErasureCode sees. */
    private void host() {
        if (k * unit > 1 << 30) {
            return;
        }
        byte[][] units = new byte[k][(int) unit];
        Arrays.stream(units).forEach(new Random(1)::nextBytes);
        byte[][] made = new byte[r][(int) unit];
        Matrix generator = Generators.hdfsCauchy(new CodeParameters(k, r));
        host("rs, from and to arrays, cuda", generator, new CudaKernelProvider(() -> 0), units, made);
        host(
                "rs, from and to arrays, the CPU",
                generator,
                KernelChoice.named("auto").provider(),
                units,
                made);
    }

    private void host(String name, Matrix generator, KernelProvider provider, byte[][] units, byte[][] made) {
        ErasureCode code = ErasureCode.of(generator, provider);
        double[] milliseconds = new double[rounds];
        for (int i = -rounds; i < rounds; i++) {
            long start = System.nanoTime();
            code.encode(units, made);
            if (i >= 0) {
                milliseconds[i] = (System.nanoTime() - start) / 1e6;
            }
        }
        Arrays.sort(milliseconds);
        out.printf("  %-34s %10.1f GB/s of data%n", name, k * unit / 1e6 / milliseconds[rounds / 2]);
    }

    private byte[][] download(DeviceMemory memory, int count, int length) {
        byte[][] units = new byte[count][];
        for (int i = 0; i < count; i++) {
            units[i] = device.download(memory.address() + i * unit, length);
        }
        return units;
    }

    private static void check(String name, byte[][] expected, byte[][] actual) {
        if (!Arrays.deepEquals(expected, actual)) {
            throw new IllegalStateException(name + " computes wrong bytes");
        }
    }

    private void line(String name, Runnable launch) {
        double milliseconds = median(launch);
        double moved = (k + r) * (double) unit / 1e6 / milliseconds;
        out.printf(
                "  %-34s %10.1f GB/s of data %10.1f GB/s moved, %3.0f%% of the copy%n",
                name, k * (double) unit / 1e6 / milliseconds, moved, 100 * moved / copy);
    }

    private double median(Runnable launch) {
        double[] milliseconds = new double[rounds];
        try (CudaEvent start = new CudaEvent();
                CudaEvent end = new CudaEvent()) {
            for (int i = device.isEmulated() ? 0 : -WARM_UP; i < rounds; i++) {
                start.record(device.stream);
                launch.run();
                end.record(device.stream);
                end.synchronise();
                if (i >= 0) {
                    milliseconds[i] = end.millisecondsSince(start);
                }
            }
        }
        Arrays.sort(milliseconds);
        return milliseconds[rounds / 2];
    }
}
