/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import io.paritas.cli.machine.Machine;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.data.DataSource;
import io.paritas.inference.data.ImageInputs;
import io.paritas.inference.data.Inputs;
import io.paritas.inference.data.LabelledImages;
import io.paritas.inference.folded.FoldedNetwork;
import io.paritas.inference.parity.Combinations;
import io.paritas.inference.parity.LinearCode;
import io.paritas.inference.parity.ParityModels;
import io.paritas.inference.parity.Residual;
import io.paritas.inference.parity.Target;
import io.paritas.inference.protect.ProtectedModel;
import io.paritas.it.spark.bench.FlipStudy.Method;
import io.paritas.it.spark.bench.ScreeningTables.Measured;
import java.io.IOException;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Which methods of screening see flipped bits, and what each costs. Trained models come from {@code paritas train}; the commands are
 * in {@code docs/performance/screening.md}. Prints tables, and draws a picture into OUT.
 *
 * <pre>{@code
 * java -Dio.paritas.inference.protect.faults=true … io.paritas.it.spark.bench.ScreeningStudy MODELS OUT
 * }</pre>
 *
 * <p>Properties: {@code bench.seed} (1), {@code bench.flips} (200, of each bit of small models), {@code bench.clean}
 * (10000000 predictions of the linear model, and a tenth as many of the MLP).
 */
final class ScreeningStudy {
    private static final long SEED = Long.getLong("bench.seed", 1);
    private static final int FLIPS = Integer.getInteger("bench.flips", 200);
    private static final long CLEAN = Long.getLong("bench.clean", 10_000_000);
    private static final double RATE = 1e-3;
    private static final double SHARE = 1e-3;
    private static final int BATCH = 64;
    private static final int ROUNDS = 15;
    private static final int FEATURES = 20;
    private static final int CLASSES = 4;

    private ScreeningStudy() {}

    public static void main(String[] args) throws IOException {
        Path models = Path.of(args[0]);
        Path out = Files.createDirectories(Path.of(args[1]));
        print("%s", Machine.description());
        print("seed %d, false alarms %s, audits %s, batches of %d rows hit", SEED, RATE, SHARE, FlipStudy.ROWS);
        FlipStudy.arm();
        LabelledImages images = DataSource.load("glyphs:count=6000,side=28");
        Inputs test = new ImageInputs(images.test(), images.normalization());
        List<Measured> all = new ArrayList<>();
        LinearCode linear = linear();
        Inputs numbers = numbers();
        all.add(measure(
                "linear",
                linear.deployed().file(),
                numbers,
                Optional.of(linear.parity(new Combinations(2, 1))),
                1,
                FLIPS));
        for (String name : List.of("mlp", "lenet", "resnet18-narrow")) {
            Path folder = models.resolve(name);
            all.add(measure(
                    name,
                    ModelFile.read(folder.resolve("base.onnx")),
                    test,
                    Optional.of(ParityModels.read(folder)),
                    1,
                    name.startsWith("resnet") ? Math.max(1, FLIPS / 8) : FLIPS));
        }
        FoldedNetwork folded = FoldedNetwork.read(models.resolve("folded"));
        all.add(measure(
                "lenet, folded by " + folded.fold(),
                folded.model(),
                new StackedInputs(test, folded.fold(), SEED),
                Optional.empty(),
                folded.fold(),
                Math.max(1, FLIPS / 4)));
        ScreeningTables.print(all);
        exclusions(all);
        ScreeningTables.draw(all, SHARE, out.resolve("screening.png"));
        clean("linear", linear.deployed().file(), linear.parity(new Combinations(2, 1)), numbers, CLEAN);
        Path mlp = models.resolve("mlp");
        clean("mlp", ModelFile.read(mlp.resolve("base.onnx")), ParityModels.read(mlp), test, CLEAN / 10);
    }

    private static LinearCode linear() {
        Random random = new Random(SEED);
        double[][] matrix = IntStream.range(0, CLASSES)
                .mapToObj(i -> random.doubles(FEATURES, -2, 2).toArray())
                .toArray(double[][]::new);
        return new LinearCode(matrix, random.doubles(CLASSES, -1, 1).toArray());
    }

    private static Inputs numbers() {
        Random random = new Random(SEED + 1);
        float[] rows = new float[20_000 * FEATURES];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = (float) random.nextGaussian();
        }
        return Inputs.of(rows, List.of(FEATURES));
    }

    private static Measured measure(
            String name, ModelFile file, Inputs inputs, Optional<ParityModels> parity, int fold, int flips) {
        FlipStudy study = new FlipStudy(name, file, inputs, parity, fold, RATE, SEED);
        Map<String, Double> costs = costs(study, parity);
        Measured measured = new Measured(study, study.run(flips), costs);
        print("measured %s, %d flips of each bit", name, flips);
        return measured;
    }

    /** As shares of the time of a prediction without. */
    private static Map<String, Double> costs(FlipStudy study, Optional<ParityModels> parity) {
        float[] batch = study.rows(BATCH);
        double[] plain = new double[ROUNDS];
        double[] guided = new double[ROUNDS];
        double[] compared = new double[ROUNDS];
        float[] answers = study.plain().predict(batch);
        Residual residual = new Residual(
                new Combinations(2, 1),
                parity.map(models -> models.plan().target()).orElse(Target.OUTPUTS));
        for (int round = -3; round < ROUNDS; round++) {
            int at = Math.max(0, round);
            plain[at] = seconds(() -> study.plain().predict(batch));
            guided[at] = seconds(() -> study.guided().predict(batch));
            compared[at] = seconds(() -> compare(residual, answers));
        }
        double one = Median.of(plain);
        Map<String, Double> costs = new LinkedHashMap<>();
        costs.put("guided", Median.of(guided) / one - 1);
        costs.put("residual", Median.of(compared) / one + 3 * RATE);
        return costs;
    }

    private static void compare(Residual residual, float[] answers) {
        int size = answers.length / BATCH;
        for (int row = 0; row < BATCH; row++) {
            float[] some = FlipStudy.part(answers, row, size);
            float[] other = FlipStudy.part(answers, (row + 1) % BATCH, size);
            residual.of(0, new float[][] {some, other}, some);
        }
    }

    /** Per run, of as many as take 20 ms. */
    private static double seconds(Runnable work) {
        int runs = 0;
        long start = System.nanoTime();
        while (runs == 0 || System.nanoTime() - start < 20_000_000) {
            work.run();
            runs++;
        }
        return (System.nanoTime() - start) * 1e-9 / runs;
    }

    private static void exclusions(List<Measured> all) {
        print("%n| model | method | 1e-3 | 1e-4 | 1e-5 | 1e-6 | 1e-7 | (batches until faulty, median of 100)");
        for (Measured one : all) {
            ProtectedModel model = one.study().plain();
            int products = model.layers().size();
            double changes = one.perFlip(Method.RECOMPUTED);
            Map<String, Exclusions> methods = new LinkedHashMap<>();
            methods.put("audit", new Exclusions(products, SHARE, false, changes, 0));
            if (one.perFlip(Method.RESIDUAL) > 0) {
                methods.put("residual", new Exclusions(products, 0, true, changes, one.perFlip(Method.RESIDUAL)));
            }
            methods.put("replication", new Exclusions(products, 1, false, changes, 0));
            methods.forEach((name, method) -> {
                StringBuilder line = new StringBuilder("| " + one.study().name() + " | " + name + " |");
                for (double rate : new double[] {1e-3, 1e-4, 1e-5, 1e-6, 1e-7}) {
                    double batches = method.batches(rate, SEED);
                    line.append(
                            Double.isInfinite(batches)
                                    ? String.format(Locale.ROOT, " not in %.0e |", Exclusions.HORIZON)
                                    : String.format(Locale.ROOT, " %.3g |", batches));
                }
                print("%s", line);
            });
        }
    }

    /** Sound predictions, twice by different instances, in groups of two with their parity. */
    private static void clean(String name, ModelFile file, ParityModels parity, Inputs inputs, long count) {
        Random random = new Random(SEED);
        Residual residual = new Residual(parity.plan().code(), parity.plan().target());
        var bound = parity.residualBound(RATE);
        int size = inputs.size();
        int rows = 512;
        long groups = 0;
        long suspects = 0;
        long different = 0;
        try (Model some = ModelEngines.load(file, ModelOptions.DEFAULT);
                Model other = ModelEngines.load(file, ModelOptions.DEFAULT);
                Model sums = ModelEngines.load(parity.model(0), ModelOptions.DEFAULT)) {
            FloatBuffer in = Model.direct(rows * size);
            FloatBuffer query = Model.direct(rows / 2 * size);
            int outputs = some.output().size();
            for (long done = 0; done < count; done += rows) {
                float[] batch = inputs.rows(IntStream.range(0, rows)
                        .map(i -> random.nextInt(inputs.count()))
                        .toArray());
                float[] answers = predict(some, in.clear().put(batch).flip(), rows);
                different += Arrays.equals(answers, predict(other, in.rewind(), rows)) ? 0 : 1;
                double largest = 0;
                float[] queries = new float[rows / 2 * size];
                for (int i = 0; i < queries.length; i++) {
                    queries[i] = batch[i] + batch[i + queries.length];
                    largest = Math.max(largest, Math.max(Math.abs(batch[i]), Math.abs(batch[i + queries.length])));
                }
                float[] combined = predict(sums, query.clear().put(queries).flip(), rows / 2);
                for (int row = 0; row < rows / 2; row++) {
                    float[][] members = {
                        FlipStudy.part(answers, row, outputs), FlipStudy.part(answers, row + rows / 2, outputs)
                    };
                    groups++;
                    suspects +=
                            residual.of(0, members, FlipStudy.part(combined, row, outputs)) > bound.of(0, 2, largest)
                                    ? 1
                                    : 0;
                }
            }
        }
        print(
                "%n%s: %d clean predictions, of %d groups %d suspect (%.2e), %d batches that two instances predict differently",
                name, 2 * groups, groups, suspects, (double) suspects / groups, different);
    }

    private static float[] predict(Model model, FloatBuffer in, int rows) {
        FloatBuffer out = Model.direct(rows * model.output().size());
        model.predict(rows, in, out);
        float[] result = new float[out.position()];
        out.flip().get(result);
        return result;
    }

    static void print(String format, Object... values) {
        System.out.printf(Locale.ROOT, format + "%n", values);
    }
}
