/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import io.paritas.gpu.CudaEvent;
import io.paritas.gpu.CudaGraph;
import io.paritas.gpu.CudaStream;
import io.paritas.gpu.DeviceMemory;
import io.paritas.gpu.Gpu;
import io.paritas.gpu.Launch;
import io.paritas.gpu.nn.Precision;
import io.paritas.gpu.nn.Scheme;
import io.paritas.gpu.nn.Verdicts;
import io.paritas.inference.Model;
import io.paritas.inference.folded.FoldOptions;
import io.paritas.inference.folded.Folding;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.NetworkName;
import java.io.IOException;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * How fast networks are on the GPU, as CSV on standard output: images a second of one CUDA graph that is replayed, in both
 * precisions, without checks and with each mode of protection; and the share of the time of {@code Model.predict}, with both ways over the
 * bus, for which the GPU computes if one task predicts. Weights are random. Needs a GPU:
 *
 * <pre>./mvnw -pl gpu -am test-compile
 * java -cp ... io.paritas.gpu.network.NetworkBenchmark [IMAGES [NETWORK ...]] &gt; networks.csv
 * java -cp ... io.paritas.gpu.network.NetworkBenchmark describe FOLDER         # for beside-torch.py, which measures the same networks</pre>
 */
final class NetworkBenchmark {
    private static final int TRIALS = 5;
    private static final double LEAST_SECONDS = 0.02;
    private static final int MOST_REPLAYS = 1000;
    private static final List<NetworkName> FOLDED = List.of(NetworkName.NOSCOPE_N2, NetworkName.GAME_V1);

    private NetworkBenchmark() {}

    public static void main(String[] arguments) throws IOException {
        if (arguments.length == 2 && arguments[0].equals("describe")) {
            for (Map.Entry<String, Graph> network : networks().entrySet()) {
                DescribedNetwork.write(Path.of(arguments[1]), network.getKey(), network.getValue());
            }
            return;
        }
        int images = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1024;
        List<String> names = List.of(arguments).subList(Math.min(1, arguments.length), arguments.length);
        Gpu gpu = Gpu.get();
        gpu.bind();
        System.out.println("# " + gpu + "; the engine gpu, batches of " + images + " images");
        System.out.println("network,precision,protect,microseconds,images_per_second,overhead,busy");
        for (Map.Entry<String, Graph> network : networks().entrySet()) {
            if (names.isEmpty() || names.contains(network.getKey())) {
                for (Precision precision : List.of(Precision.HALF, Precision.SINGLE)) {
                    measure(network.getKey(), network.getValue(), precision, images);
                }
            }
        }
    }

    /** By name; a folded one ends with its fold. */
    private static Map<String, Graph> networks() {
        Map<String, Graph> networks = new LinkedHashMap<>();
        for (NetworkName name : FOLDED) {
            networks.put(name.toString(), Reference.random(name.build()));
            for (int fold = 2; fold <= 4; fold++) {
                networks.put(
                        name + "-fold-" + fold, Reference.random(Folding.fold(name.build(), FoldOptions.of(fold))));
            }
        }
        for (NetworkName name : List.of(NetworkName.LENET, NetworkName.RESNET18)) {
            networks.put(name.toString(), Reference.random(name.build()));
        }
        return networks;
    }

    static void measure(String name, Graph graph, Precision precision, int images) {
        int fold = name.contains("-fold-") ? Integer.parseInt(name.substring(name.length() - 1)) : 1;
        int rows = images / fold;
        NetworkPlan plan = Planner.plan(graph, precision);
        double none = seconds(plan, rows);
        print(name, precision, "off", images, none, none, none / predictSeconds(graph, plan, rows));
        for (Scheme scheme : List.of(Scheme.GLOBAL, Scheme.THREAD, Scheme.TWO_SIDED)) {
            NetworkPlan checked =
                    Checking.add(plan, Collections.nCopies(plan.layers().size(), scheme));
            print(name, precision, scheme.toString(), images, seconds(checked, rows), none, Double.NaN);
        }
    }

    /** Seconds of a batch on the GPU. */
    private static double seconds(NetworkPlan plan, int rows) {
        Arena places = plan.arena(rows);
        double least = Double.MAX_VALUE;
        try (CudaStream stream = Gpu.current().newStream();
                DeviceNetwork network = new DeviceNetwork(plan);
                DeviceMemory arena = DeviceMemory.allocate(places.bytes() + network.standingBytes(rows));
                Verdicts verdicts = new Verdicts(plan.steps().size(), stream)) {
            stream.fill(arena.address(), (byte) 0, arena.size());
            Optional<Verdicts> found = plan.isChecked() ? Optional.of(verdicts) : Optional.empty();
            List<Launch> launches =
                    network.launches(rows, places, arena.address(), arena.address() + places.bytes(), found);
            launches.forEach(launch -> launch.enqueue(stream));
            try (CudaGraph graph = CudaGraph.record(launches, stream)) {
                int replays = 1;
                for (int trial = 0; trial <= TRIALS; trial++) {
                    double seconds = seconds(graph, replays, stream);
                    least = Math.min(least, seconds);
                    replays = (int) Math.max(1, Math.min(MOST_REPLAYS, LEAST_SECONDS / seconds));
                }
            }
            verdicts.fetch(stream);
            stream.synchronise();
            if (verdicts.fetched().stream().anyMatch(result -> !result.isClean())) {
                throw new IllegalStateException("the checks found wrong values on " + Gpu.current());
            }
        }
        return least;
    }

    private static double seconds(CudaGraph graph, int replays, CudaStream stream) {
        try (CudaEvent start = new CudaEvent();
                CudaEvent end = new CudaEvent()) {
            start.record(stream);
            for (int i = 0; i < replays; i++) {
                graph.replay(stream);
            }
            end.record(stream);
            end.synchronise();
            return end.millisecondsSince(start) / 1000 / replays;
        }
    }

    /** Seconds of a batch from the host's memory to the host's memory. */
    private static double predictSeconds(Graph graph, NetworkPlan plan, int rows) {
        FloatBuffer inputs = Model.direct(rows * graph.input().size());
        FloatBuffer outputs = Model.direct(rows * graph.output().size());
        GpuModel.Limits limits = new GpuModel.Limits(1, Long.MAX_VALUE);
        double least = Double.MAX_VALUE;
        try (GpuModel model = GpuModel.load(graph.input(), graph.output(), plan, limits)) {
            for (int trial = 0; trial <= 2 * TRIALS; trial++) {
                long start = System.nanoTime();
                model.predict(rows, inputs.clear(), outputs.clear());
                least = Math.min(least, (System.nanoTime() - start) / 1e9);
            }
        }
        return least;
    }

    private static void print(
            String name, Precision precision, String protect, int images, double seconds, double none, double busy) {
        System.out.printf(
                Locale.ROOT,
                "%s,%s,%s,%.1f,%.0f,%.4f,%s%n",
                name,
                precision,
                protect,
                1e6 * seconds,
                images / seconds,
                seconds / none - 1,
                Double.isNaN(busy) ? "" : String.format(Locale.ROOT, "%.2f", busy));
    }
}
