/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import io.paritas.cli.machine.Machine;
import io.paritas.inference.Device;
import io.paritas.inference.Hardware;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.folded.FoldOptions;
import io.paritas.inference.folded.FoldOptions.Rounding;
import io.paritas.inference.folded.FoldedModel;
import io.paritas.inference.folded.Folding;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Initialisation;
import java.io.PrintWriter;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Measures how many images a second a network takes, folded by 1 to 4. The folds take turns of one batch, and the median counts, so
 * that changes of the machine's speed affect all folds alike.
 */
final class FoldRace {
    /** The largest fold. */
    static final int MOST = 4;

    private static final int WARM_UP = 3;

    private final Graph graph;
    private final int batch;
    private final Rounding rounding;
    private final ModelOptions options;

    FoldRace(Graph graph, int batch, Rounding rounding, ModelOptions options) {
        this.graph = graph;
        this.batch = batch;
        this.rounding = rounding;
        this.options = options;
    }

    void run(int seconds, PrintWriter out) {
        List<Model> models = new ArrayList<>();
        try {
            for (int fold = 1; fold <= MOST; fold++) {
                Graph folded = Folding.fold(graph, FoldOptions.of(fold).withRounding(rounding));
                Graph weighted = Initialisation.PYTORCH.apply(folded, 1);
                models.add(new FoldedModel(ModelEngines.load(weighted.toModelFile(), options), fold));
            }
            double[] times = race(models, seconds);
            out.println();
            models.stream().map(this::where).distinct().forEach(out::println);
            print(times, out);
        } finally {
            models.forEach(Model::close);
        }
    }

    /** Returns the median seconds of a batch, for each fold. */
    private double[] race(List<Model> models, int seconds) {
        FloatBuffer inputs = Model.direct(batch * models.get(0).input().size());
        FloatBuffer outputs = Model.direct(batch * models.get(0).output().size());
        List<List<Double>> times = new ArrayList<>();
        models.forEach(any -> times.add(new ArrayList<>()));
        long end = 0;
        for (int turn = 0; turn <= WARM_UP || System.nanoTime() < end; turn++) {
            for (int i = 0; i < models.size(); i++) {
                long start = System.nanoTime();
                models.get(i).predict(batch, inputs.clear(), outputs.clear());
                if (turn >= WARM_UP) {
                    times.get(i).add((System.nanoTime() - start) / 1e9);
                }
            }
            end = turn == WARM_UP ? System.nanoTime() + seconds * 1_000_000_000L * models.size() : end;
        }
        return times.stream().mapToDouble(FoldRace::median).toArray();
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    /** What a model was measured on. A GPU has its own precision, {@code io.paritas.gpu.network.precision}. */
    private String where(Model model) {
        Hardware hardware = model.hardware();
        return model.device() == Device.CPU
                ? Machine.description() + ", " + options.threads() + " thread(s), FP32, batches of " + batch
                : (hardware.kind() + " " + hardware.gpu()).strip() + ", batches of " + batch;
    }

    private void print(double[] times, PrintWriter out) {
        out.printf(Locale.ROOT, "%4s  %12s  %s%n", "fold", "images/s", "to fold 1");
        for (int i = 0; i < times.length; i++) {
            out.printf(Locale.ROOT, "%4d  %,12.0f  %.2f%n", i + 1, batch / times[i], times[0] / times[i]);
        }
    }
}
