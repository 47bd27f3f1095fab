/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

import io.paritas.inference.recommend.data.Batches;
import io.paritas.inference.recommend.data.GeneratedClicks;
import io.paritas.inference.recommend.data.MiniBatch;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * How long a step of the evaluated network takes, by batch size, on generated samples: processor time of the one thread that
 * computes, and time on the clock, of the fastest step and of the median one.
 *
 * <pre>
 * java -cp CLASS_PATH_OF_THE_TESTS io.paritas.inference.recommend.model.StepBenchmark STEPS BATCH…
 * </pre>
 */
final class StepBenchmark {
    private static final long ROWS = 2_000_000;

    private StepBenchmark() {}

    public static void main(String[] arguments) {
        int[] numbers = Arrays.stream(arguments).mapToInt(Integer::parseInt).toArray();
        DlrmShape shape = DlrmShape.evaluated(ROWS);
        System.out.println(
                "batch  distinct rows  step: CPU ms (min, median)  clock ms (min, median)  pooling both ways: CPU ms");
        try (Dlrm dlrm = Dlrm.open(shape, 1)) {
            Arrays.stream(numbers).skip(1).forEach(size -> run(dlrm, size, numbers[0]));
        }
    }

    private static void run(Dlrm dlrm, int size, int steps) {
        DlrmShape shape = dlrm.shape();
        MiniBatch batch = Batches.of(GeneratedClicks.likeCriteo(shape.tables(), 1), 0, size);
        float[] network = InitialNetwork.of(shape, 1);
        float[] rows = new float[batch.ids().length * shape.dimension()];
        InitialRows initial = InitialRows.of(shape, 1);
        IntStream.range(0, batch.ids().length).forEach(i -> initial.fill(batch.ids()[i], rows, i * shape.dimension()));
        Pooling pooling = new Pooling(shape.tables(), shape.dimension());
        double[][] step = times(steps, () -> dlrm.gradients(batch, network, rows));
        double[][] pool = times(steps, () -> pooling.gradients(batch, pooling.sums(batch, rows)));
        System.out.printf(
                Locale.ROOT,
                "%5d  %13d  %12.1f %12.1f  %11.1f %11.1f  %24.1f%n",
                size,
                batch.ids().length,
                step[0][0],
                step[0][steps / 2],
                step[1][0],
                step[1][steps / 2],
                pool[0][0]);
    }

    /** Milliseconds in ascending order: of the processor, and on the clock. The first quarter warms up. */
    private static double[][] times(int steps, Runnable work) {
        double[][] times = new double[2][steps];
        for (int i = -steps / 4; i < steps; i++) {
            long cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            long clock = System.nanoTime();
            work.run();
            if (i >= 0) {
                times[0][i] = (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpu) / 1e6;
                times[1][i] = (System.nanoTime() - clock) / 1e6;
            }
        }
        Arrays.sort(times[0]);
        Arrays.sort(times[1]);
        return times;
    }
}
