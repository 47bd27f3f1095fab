/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.Generators;
import io.paritas.erasure.LrcParameters;
import io.paritas.erasure.kernel.Schedule.Optimisation;
import io.paritas.erasure.kernel.Schedule.TimesX;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * What each step of the compiler buys: a program that prints GB/s of data for encoding, units of 128 KiB or of the length
 * given. All kernels live in one JVM and take turns of 6 ms; the best turn counts.
 *
 * <pre>
 * java --add-modules jdk.incubator.vector -cp hdfs-codec/target/classes:hdfs-codec/target/test-classes:ASM \
 *     io.paritas.erasure.kernel.AblationBenchmark [LENGTH [SECONDS]]
 * </pre>
 */
final class AblationBenchmark {
    private static final int WARM_UP_ROUNDS = 12;
    private static final long WARM_UP_TURN = 60_000_000;
    private static final long TURN = 6_000_000;

    /** A kernel on its stripe. */
    private record Lane(Kernel kernel, Regions inputs, Regions outputs) {
        static Lane of(Program program, Kernel kernel, int length) {
            byte[][] data = new byte[program.inputs()][length];
            Arrays.stream(data).forEach(new Random(1)::nextBytes);
            return new Lane(kernel, Regions.of(data), Regions.of(new byte[program.outputs()][length]));
        }

        double turn(long nanos) {
            long start = System.nanoTime();
            long bytes = 0;
            long elapsed;
            do {
                kernel.apply(inputs, outputs);
                bytes += (long) inputs.count() * inputs.length();
                elapsed = System.nanoTime() - start;
            } while (elapsed < nanos);
            return (double) bytes / elapsed;
        }
    }

    private AblationBenchmark() {}

    public static void main(String[] arguments) {
        int length = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 128 * 1024;
        long seconds = arguments.length > 1 ? Long.parseLong(arguments[1]) : 10;
        System.out.println(TuningFile.thisMachine() + ", units of " + length + " bytes");
        codes().forEach((name, rows) -> measure(name, Program.product(rows), length, seconds));
    }

    private static Map<String, int[][]> codes() {
        Map<String, int[][]> codes = new LinkedHashMap<>();
        for (int[] shape : new int[][] {{6, 3}, {8, 4}, {10, 4}, {10, 2}}) {
            CodeParameters code = new CodeParameters(shape[0], shape[1]);
            codes.put("rs " + code, Generators.hdfsCauchy(code).toRows());
            codes.put("paritas " + code, Generators.paritas(code).toRows());
        }
        for (int k : new int[] {6, 12}) {
            codes.put(
                    "lrc (" + k + ",2,2)",
                    Generators.lrc(new LrcParameters(k, 2, 2)).toRows());
        }
        return codes;
    }

    private static void measure(String name, Program program, int length, long seconds) {
        Map<String, Kernel> kernels = new LinkedHashMap<>();
        kernels.put("plain", new PlainKernel(program, Check.FOLD));
        kernels.put("vectors", vector(program, TimesX.COMPARE, Optimisation.NONE, Check.NONE));
        kernels.put("+ clamp", vector(program, TimesX.CLAMP, Optimisation.NONE, Check.NONE));
        kernels.put("+ optimised", vector(program, TimesX.CLAMP, Optimisation.BINARY, Check.NONE));
        kernels.put("+ ternary", vector(program, TimesX.CLAMP, Optimisation.TERNARY, Check.NONE));
        kernels.put("+ check", vector(program, TimesX.CLAMP, Optimisation.TERNARY, Check.FOLD));
        List<Lane> lanes = new ArrayList<>();
        kernels.values().forEach(kernel -> lanes.add(Lane.of(program, kernel, length)));
        for (int round = 0; round < WARM_UP_ROUNDS; round++) {
            lanes.forEach(lane -> lane.turn(WARM_UP_TURN));
        }
        double[] best = new double[lanes.size()];
        long end = System.nanoTime() + seconds * 1_000_000_000;
        while (System.nanoTime() < end) {
            Arrays.setAll(best, i -> Math.max(best[i], lanes.get(i).turn(TURN)));
        }
        StringBuilder line = new StringBuilder(String.format("%-15s", name));
        int column = 0;
        for (String kernel : kernels.keySet()) {
            line.append(String.format("  %s %.1f", kernel, best[column++]));
        }
        System.out.println(line);
    }

    private static Kernel vector(Program program, TimesX timesX, Optimisation optimisation, Check check) {
        Schedule standard = Schedule.standard(VectorKernel.bits());
        return new VectorKernel(
                program,
                new Schedule(timesX, optimisation, standard.vectors(), standard.outputs(), standard.tile()),
                check);
    }
}
