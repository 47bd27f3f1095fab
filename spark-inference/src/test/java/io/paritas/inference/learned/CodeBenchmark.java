/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.learned;

import io.paritas.inference.learned.CodePlan.ChannelMix;
import io.paritas.inference.learned.CodePlan.EncoderKind;
import io.paritas.inference.learned.CodePlan.Loss;
import io.paritas.inference.parity.GroupDecoder;
import io.paritas.inference.parity.GroupDecoder.Received;
import io.paritas.inference.parity.GroupEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * The rates of a learned code's networks on one thread: groups of k = 2 decoded one by one and many at once, and encoded with a run
 * of the encoder for each of r = 2 parity queries and with one for both. Argument: seconds of each measurement (5); the best fifth
 * counts.
 *
 * <pre>{@code
 * java -Xmx2g -cp CLASSES:TEST_CLASSES:LIBRARIES io.paritas.inference.learned.CodeBenchmark
 * }</pre>
 */
public final class CodeBenchmark {
    private static final int GROUPS = 256;
    private static final int FIFTHS = 5;
    private static final List<Integer> IMAGE = List.of(3, 32, 32);

    private CodeBenchmark() {}

    public static void main(String[] arguments) {
        double seconds = arguments.length > 0 ? Double.parseDouble(arguments[0]) : 5;
        System.out.printf("Java %s%n", Runtime.version());
        for (int classes : new int[] {10, 1000}) {
            decode(classes, seconds);
        }
        for (EncoderKind kind : EncoderKind.values()) {
            encode(kind, seconds);
        }
    }

    private static void decode(int classes, double seconds) {
        CodePlan plan = new CodePlan(2, 1, EncoderKind.MLP, Loss.MSE_BASE, ChannelMix.SEPARATE);
        try (CountedCode code = new CountedCode(plan, List.of(1, 2, 2), classes)) {
            GroupDecoder decoder = code.decoder(role -> null);
            float[][] rows = random(3 * GROUPS, classes);
            for (int together : new int[] {1, 16, GROUPS}) {
                measure("decode " + classes + " classes, " + together + " at once", seconds, () -> {
                    for (int from = 0; from < GROUPS; from += together) {
                        List<Received> groups = new ArrayList<>();
                        for (int i = from; i < from + together; i++) {
                            groups.add(
                                    new Received(new float[][] {rows[3 * i], null}, new float[][] {rows[3 * i + 1]}));
                        }
                        decoder.decode(groups);
                    }
                });
            }
        }
    }

    private static void encode(EncoderKind kind, double seconds) {
        CodePlan plan = new CodePlan(2, 2, kind, Loss.MSE_BASE, ChannelMix.SEPARATE);
        int size = IMAGE.stream().reduce(1, Math::multiplyExact);
        try (CountedCode code = new CountedCode(plan, IMAGE, 10)) {
            GroupEncoder encoder = code.encoder(IMAGE, role -> null);
            List<float[]> batches = List.of(random(2, GROUPS * size));
            List<float[]> made = List.of(new float[GROUPS * size], new float[GROUPS * size]);
            measure("encode " + kind + ", a run for each parity", seconds, () -> {
                encoder.encode(batches, 0, 0, GROUPS, made.get(0));
                encoder.encode(batches, 1, 0, GROUPS, made.get(1));
            });
            measure("encode " + kind + ", one run", seconds, () -> encoder.encode(batches, 0, GROUPS, made));
        }
    }

    private static float[][] random(int rows, int size) {
        Random random = new Random(1);
        float[][] values = new float[rows][size];
        for (float[] row : values) {
            for (int i = 0; i < size; i++) {
                row[i] = random.nextFloat();
            }
        }
        return values;
    }

    private static void measure(String name, double seconds, Runnable groups) {
        double best = 0;
        for (int fifth = 0; fifth < FIFTHS; fifth++) {
            long start = System.nanoTime();
            long end = start + (long) (seconds / FIFTHS * 1e9);
            int turns = 0;
            long now = start;
            for (; now < end; now = System.nanoTime()) {
                groups.run();
                turns++;
            }
            best = Math.max(best, turns * (double) GROUPS / (now - start) * 1e9);
        }
        System.out.printf(Locale.ROOT, "%s: %,.0f groups/s%n", name, best);
    }
}
