/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import io.paritas.gpu.Gpu;
import io.paritas.gpu.nn.LayerTimer;
import io.paritas.gpu.nn.Precision;
import io.paritas.gpu.nn.Scheme;
import io.paritas.inference.protect.LayerLists;
import io.paritas.inference.protect.LayerLists.Layer;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What checks cost: the time of the products that the thesis measures (4.6), with each scheme, as CSV on standard output. A row
 * has the arithmetic intensity, in operations per byte of A, B and C read or written once, so that one sees where the cheapest
 * scheme changes; the column {@code cheapest} marks it among those that a plan chooses from. At the end of each list stands what its layers
 * take together, with {@code guided} for the cheapest check of each.
 *
 * <p>Norms of A are there before the time starts, as they are behind another layer, and launches are replayed from a CUDA graph.
 * A time is the least of 5 of a mean; the schemes take turns. Needs a GPU:
 *
 * <pre>./mvnw -pl gpu -am test-compile
 * java -cp ... io.paritas.gpu.network.GemmBenchmark [HALF|SINGLE] [LIST ...] &gt; gemms.csv</pre>
 *
 * <p>Lists are those of {@link LayerLists}, or the start of their names; without any, all but those of large images.
 */
final class GemmBenchmark {
    private static final int TRIALS = 5;
    private static final double LEAST_SECONDS = 2e-3;
    private static final int MOST_RUNS = 256;
    private static final List<Scheme> CANDIDATES = List.of(Scheme.GLOBAL, Scheme.THREAD, Scheme.TWO_SIDED);

    private GemmBenchmark() {}

    public static void main(String[] arguments) {
        List<String> rest = Arrays.asList(arguments);
        List<Precision> precisions = Arrays.asList(Precision.values());
        if (!rest.isEmpty() && rest.get(0).matches("HALF|SINGLE")) {
            precisions = List.of(Precision.valueOf(rest.get(0)));
            rest = rest.subList(1, rest.size());
        }
        List<String> starts = rest;
        Gpu gpu = Gpu.get();
        gpu.bind();
        System.out.println("# " + gpu + "; gemm_half and gemm_single of gpu/src/main/cuda, in CUDA graphs");
        System.out.println("list,precision,m,n,k,intensity,scheme,microseconds,overhead,teraflops,cheapest");
        for (Precision precision : precisions) {
            LayerLists.names().stream()
                    .filter(name -> starts.isEmpty()
                            ? !name.endsWith("-hd")
                            : starts.stream().anyMatch(name::startsWith))
                    .forEach(name -> measure(precision, name));
        }
    }

    private static void measure(Precision precision, String list) {
        Map<Scheme, Double> together = new EnumMap<>(Scheme.class);
        double guided = 0;
        for (Layer layer : LayerLists.of(list)) {
            Map<Scheme, Double> best = best(precision, layer);
            Scheme cheapest = CANDIDATES.stream()
                    .min((one, other) -> Double.compare(best.get(one), best.get(other)))
                    .orElseThrow();
            guided += best.get(cheapest);
            best.forEach((scheme, seconds) -> {
                together.merge(scheme, seconds, Double::sum);
                print(layer, precision, scheme, seconds, best.get(Scheme.NONE), scheme == cheapest);
            });
        }
        double none = together.get(Scheme.NONE);
        for (Scheme scheme : CANDIDATES) {
            System.out.printf(
                    Locale.ROOT,
                    "# %s %s together: %s %+.1f %%%n",
                    list,
                    precision,
                    scheme,
                    100 * (together.get(scheme) / none - 1));
        }
        System.out.printf(
                Locale.ROOT, "# %s %s together: guided %+.1f %%%n", list, precision, 100 * (guided / none - 1));
    }

    /** Seconds of a run, by scheme. */
    private static Map<Scheme, Double> best(Precision precision, Layer layer) {
        Map<Scheme, Double> best = new EnumMap<>(Scheme.class);
        try (LayerTimer timer = LayerTimer.gemm(precision, layer.m(), layer.n(), layer.k())) {
            double once = timer.seconds(Scheme.NONE, 1).orElseThrow();
            int runs = (int) Math.max(1, Math.min(MOST_RUNS, LEAST_SECONDS / Math.max(once, 1e-6)));
            for (int trial = 0; trial < TRIALS; trial++) {
                for (Scheme scheme : Scheme.values()) {
                    if (scheme.supports(precision)) {
                        best.merge(scheme, timer.seconds(scheme, runs).orElseThrow() / runs, Math::min);
                    }
                }
            }
        }
        return best;
    }

    private static void print(
            Layer layer, Precision precision, Scheme scheme, double seconds, double none, boolean isCheapest) {
        System.out.printf(
                Locale.ROOT,
                "%s,%s,%d,%d,%d,%.1f,%s,%.2f,%.4f,%.3f,%d%n",
                layer.list(),
                precision,
                layer.m(),
                layer.n(),
                layer.k(),
                layer.intensity(precision.bytes()),
                scheme,
                1e6 * seconds,
                seconds / none - 1,
                1e-12 * layer.operations() / seconds,
                isCheapest ? 1 : 0);
    }
}
