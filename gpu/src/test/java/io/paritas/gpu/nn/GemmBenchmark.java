/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.CudaEvent;
import io.paritas.gpu.CudaStream;
import io.paritas.gpu.Gpu;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * What checks cost: the time of products of the thesis' sizes (4.6), with each scheme, as CSV on standard output. Squares of
 * 32 to 4096, and the layers of DLRM for batches of 1 to 4096. A row has the arithmetic intensity, in operations per byte of
 * A, B and C read or written once, so that one sees where the cheapest scheme changes; the column {@code cheapest} marks it
 * among the checks.
 *
 * <p>Norms and sums of A are there before the time starts, as they are behind another layer. A time is the least of 5 of a
 * mean; the schemes take turns. Needs a GPU:
 *
 * <pre>./mvnw -pl gpu -am test-compile
 * java -cp ... io.paritas.gpu.nn.GemmBenchmark [LARGEST] &gt; gemms.csv</pre>
 */
final class GemmBenchmark {
    private static final int TRIALS = 5;
    private static final double LEAST_MILLISECONDS = 20;
    private static final int LARGEST_REPETITIONS = 2000;

    private record Layer(String list, int m, int n, int k) {
        double intensity(Precision precision) {
            double bytes = precision.bytes() * ((double) m * k + (double) k * n + (double) m * n);
            return 2.0 * m * n * k / bytes;
        }
    }

    private GemmBenchmark() {}

    public static void main(String[] arguments) {
        int largest = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 4096;
        Gpu gpu = Gpu.get();
        gpu.bind();
        System.out.println("# " + gpu + "; gemm_half and gemm_single of gpu/src/main/cuda");
        System.out.println("list,precision,m,n,k,intensity,scheme,microseconds,overhead,teraflops,cheapest");
        try (CudaStream stream = gpu.newStream()) {
            for (Precision precision : Precision.values()) {
                for (Layer layer : layers(largest)) {
                    measure(precision, layer, stream);
                }
            }
        }
    }

    private static List<Layer> layers(int largest) {
        List<Layer> layers = new ArrayList<>();
        for (int size = 32; size <= largest; size *= 2) {
            layers.add(new Layer("square", size, size, size));
        }
        for (int batch : new int[] {1, 256, 512, 1024, 2048, 4096}) {
            if (batch <= largest) {
                layers.add(new Layer("dlrm-bottom", batch, 512, 13));
                layers.add(new Layer("dlrm-bottom", batch, 256, 512));
                layers.add(new Layer("dlrm-bottom", batch, 64, 256));
                layers.add(new Layer("dlrm-top", batch, 512, 512));
                layers.add(new Layer("dlrm-top", batch, 256, 512));
                layers.add(new Layer("dlrm-top", batch, 1, 256));
            }
        }
        return layers;
    }

    private static void measure(Precision precision, Layer layer, CudaStream stream) {
        Random random = new Random(1);
        List<Gemm> products = new ArrayList<>();
        Scheme[] schemes = Arrays.stream(Scheme.values())
                .filter(scheme -> scheme.supports(precision))
                .toArray(Scheme[]::new);
        double[] best = new double[schemes.length];
        Arrays.fill(best, Double.MAX_VALUE);
        float[] b = Operands.random(random, precision, layer.k * layer.n);
        try (Weights weights = Operands.weights(precision, layer.k, layer.n, b, new float[layer.n]);
                Activations a = Activations.aligned(precision, layer.m, layer.k);
                Activations c = Activations.aligned(precision, layer.m, layer.n);
                FaultBuffer faults = new FaultBuffer(stream)) {
            fill(a, random, stream);
            for (Scheme scheme : schemes) {
                products.add(new Gemm(weights, scheme, Activation.RELU));
            }
            for (int trial = 0; trial < TRIALS; trial++) {
                for (int i = 0; i < schemes.length; i++) {
                    best[i] = Math.min(best[i], microseconds(products.get(i), a, c, faults, stream));
                }
            }
            CheckResult result = faults.read(stream);
            if (!result.isClean()) {
                throw new IllegalStateException(layer + " " + precision + ": " + result);
            }
            products.forEach(Gemm::close);
        }
        print(precision, layer, schemes, best);
    }

    private static void fill(Activations a, Random random, CudaStream stream) {
        java.nio.ByteBuffer bytes =
                DeviceValues.buffer(a.rows() * a.stride() * a.precision().bytes());
        while (bytes.hasRemaining()) {
            float value = (float) random.nextGaussian();
            if (a.precision() == Precision.HALF) {
                bytes.putShort(Halves.of(value));
            } else {
                bytes.putFloat(value);
            }
        }
        stream.copyToDevice(a.address(), bytes.flip());
        stream.synchronise();
    }

    private static double microseconds(Gemm gemm, Activations a, Activations c, FaultBuffer faults, CudaStream stream) {
        double once = milliseconds(gemm, a, c, faults, stream, 1);
        int repetitions = (int) Math.max(1, Math.min(LARGEST_REPETITIONS, LEAST_MILLISECONDS / Math.max(once, 1e-3)));
        milliseconds(gemm, a, c, faults, stream, repetitions / 4 + 1);
        return 1000 * milliseconds(gemm, a, c, faults, stream, repetitions) / repetitions;
    }

    private static double milliseconds(
            Gemm gemm, Activations a, Activations c, FaultBuffer faults, CudaStream stream, int repetitions) {
        try (CudaEvent start = new CudaEvent();
                CudaEvent end = new CudaEvent()) {
            start.record(stream);
            for (int i = 0; i < repetitions; i++) {
                gemm.run(a, c, faults, stream);
            }
            end.record(stream);
            end.synchronise();
            return end.millisecondsSince(start);
        }
    }

    private static void print(Precision precision, Layer layer, Scheme[] schemes, double[] microseconds) {
        int cheapest = 1;
        for (int i = 1; i < schemes.length; i++) {
            cheapest = microseconds[i] < microseconds[cheapest] ? i : cheapest;
        }
        for (int i = 0; i < schemes.length; i++) {
            System.out.printf(
                    Locale.ROOT,
                    "%s,%s,%d,%d,%d,%.1f,%s,%.2f,%.4f,%.3f,%d%n",
                    layer.list,
                    precision,
                    layer.m,
                    layer.n,
                    layer.k,
                    layer.intensity(precision),
                    schemes[i],
                    microseconds[i],
                    microseconds[i] / microseconds[0] - 1,
                    2e-6 * layer.m * layer.n * layer.k / microseconds[i],
                    i == cheapest ? 1 : 0);
        }
    }
}
