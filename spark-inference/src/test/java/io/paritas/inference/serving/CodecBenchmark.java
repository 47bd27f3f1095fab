/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.inference.parity.Combinations;
import io.paritas.inference.parity.Encoding;
import io.paritas.inference.parity.ParityPlan;
import io.paritas.inference.parity.PredictionDecoder;
import io.paritas.inference.parity.QueryEncoder;
import io.paritas.inference.parity.Target;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * What a front end adds to a group of k = 2 queries: encoding the parity query of two images of 3 x 224 x 224, and reconstructing one
 * prediction of 1,000 classes, on one thread. Each turn takes other queries, 64 of them, which do not fit into a core's caches together. Argument:
 * turns of each (20,000), of which as many are run before they count.
 *
 * <pre>{@code
 * java -Xmx1g --add-modules jdk.incubator.vector -cp CLASSES:TEST_CLASSES:LIBRARIES io.paritas.inference.serving.CodecBenchmark
 * }</pre>
 */
public final class CodecBenchmark {
    private static final List<Integer> IMAGE = List.of(3, 224, 224);
    private static final int CLASSES = 1_000;
    private static final int QUERIES = 64;

    /** One encoding or decoding; its result is looked at, so that none is left out. */
    private interface Turn {
        float take(int turn);
    }

    private CodecBenchmark() {}

    public static void main(String[] arguments) {
        int turns = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 20_000;
        ParityPlan plan = new ParityPlan(new Combinations(2, 1), Encoding.ADDITION, Target.OUTPUTS);
        QueryEncoder encoder = new QueryEncoder(plan.code(), plan.encoding(), IMAGE);
        PredictionDecoder decoder = new PredictionDecoder(plan.code(), plan.target());
        float[][] queries = random(IMAGE.stream().reduce(1, Math::multiplyExact));
        float[][] outputs = random(CLASSES);
        System.out.printf("Java %s, %,d turns%n", Runtime.version(), turns);
        measure("encode", turns, turn -> {
            List<float[]> group = List.of(queries[turn % QUERIES], queries[(turn + 1) % QUERIES]);
            return encoder.encode(group, 0)[turn % CLASSES];
        });
        measure("decode", turns, turn -> {
            float[][] predictions = {outputs[turn % QUERIES], null};
            decoder.decode(predictions, new float[][] {outputs[(turn + 1) % QUERIES]});
            return predictions[1][turn % CLASSES];
        });
    }

    private static float[][] random(int size) {
        Random random = new Random(1);
        float[][] rows = new float[QUERIES][size];
        for (float[] row : rows) {
            for (int i = 0; i < size; i++) {
                row[i] = random.nextFloat();
            }
        }
        return rows;
    }

    private static void measure(String name, int turns, Turn work) {
        float sum = 0;
        long[] nanos = new long[turns];
        for (int turn = -turns; turn < turns; turn++) {
            long start = System.nanoTime();
            sum += work.take(Math.floorMod(turn, QUERIES));
            nanos[Math.max(turn, 0)] = System.nanoTime() - start;
        }
        Arrays.sort(nanos);
        System.out.printf(
                Locale.ROOT,
                "%s: fastest %.1f, median %.1f, p99 %.1f microseconds (sum %g)%n",
                name,
                nanos[0] / 1e3,
                nanos[turns / 2] / 1e3,
                nanos[turns * 99 / 100] / 1e3,
                sum);
    }
}
