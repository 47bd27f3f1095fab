/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

import io.paritas.erasure.CodeParameters;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The first {@value #MIB} MiB of data, in whole stripes, that a new JVM encodes, as a short-lived client of HDFS does. Each
 * figure is the median of several JVMs with the flags of this one; both coders take turns.
 */
final class ColdStart {
    static final int MIB = 64;

    private static final int JVMS = 5;
    private static final String OURS = "rs_paritas";

    private final List<CodeParameters> codes;
    private final List<Integer> unitLengths;

    ColdStart(List<CodeParameters> codes, List<Integer> unitLengths) {
        this.codes = codes;
        this.unitLengths = unitLengths;
    }

    /** Milliseconds of one JVM: until the first stripe was encoded, until all were, and until its end. */
    private record Life(double firstStripe, double allStripes, double process) {
        static Life median(List<Life> lives) {
            return new Life(
                    lives.stream().mapToDouble(Life::firstStripe).sorted().toArray()[lives.size() / 2],
                    lives.stream().mapToDouble(Life::allStripes).sorted().toArray()[lives.size() / 2],
                    lives.stream().mapToDouble(Life::process).sorted().toArray()[lives.size() / 2]);
        }
    }

    void print(PrintWriter out) throws IOException, InterruptedException {
        out.printf(
                Locale.ROOT,
                "The first %d MiB of data, in whole stripes, that a fresh JVM encodes, in ms; medians of %d JVMs.%n"
                        + "From asking for the coder until the first stripe is encoded, until all are; and the"
                        + " JVM's whole life.%n"
                        + "%n%-8s %-6s %-12s %14s %12s %10s%n",
                MIB,
                JVMS,
                "code",
                "unit",
                "coder",
                "first stripe",
                "all stripes",
                "process");
        for (CodeParameters code : codes) {
            for (int unitLength : unitLengths) {
                print(out, new Shape(code, unitLength));
            }
        }
    }

    private static void print(PrintWriter out, Shape shape) throws IOException, InterruptedException {
        List<String> coders =
                Coders.named(Coders.RS_JAVA).knows(shape.code()) ? List.of(Coders.RS_JAVA, OURS) : List.of(OURS);
        List<List<Life>> lives = new ArrayList<>();
        coders.forEach(coder -> lives.add(new ArrayList<>()));
        for (int i = 0; i < JVMS; i++) {
            for (int coder = 0; coder < coders.size(); coder++) {
                lives.get(coder).add(life(coders.get(coder), shape));
            }
        }
        for (int coder = 0; coder < coders.size(); coder++) {
            Life life = Life.median(lives.get(coder));
            out.printf(
                    Locale.ROOT,
                    "%-8s %-6s %-12s %14.1f %12.1f %10.1f%n",
                    shape.code(),
                    UnitLength.shown(shape.unitLength()),
                    coders.get(coder),
                    life.firstStripe,
                    life.allStripes,
                    life.process);
        }
        out.flush();
    }

    private static Life life(String coder, Shape shape) throws IOException, InterruptedException {
        long start = System.nanoTime();
        Process process = new ProcessBuilder(command(coder, shape))
                .redirectErrorStream(true)
                .start();
        List<String> said = process.inputReader().lines().toList();
        if (process.waitFor() != 0) {
            throw new IOException("the JVM that encodes " + shape.code() + " in units of "
                    + UnitLength.shown(shape.unitLength()) + " with " + coder + " ended with " + process.exitValue()
                    + ": " + conclusion(said.stream())
                    + ": name other codes or shorter units, or give it memory, as by PARITAS_OPTS=-Xmx8g");
        }
        long end = System.nanoTime();
        String result = said.stream()
                .filter(line -> line.matches("\\d+ \\d+"))
                .findFirst()
                .orElseThrow();
        List<String> nanos = List.of(result.split(" ", -1));
        return new Life(
                millis(Long.parseLong(nanos.get(0))), millis(Long.parseLong(nanos.get(1))), millis(end - start));
    }

    /** Returns the last line of a program that has failed, without those of a stack trace: why. */
    static String conclusion(Stream<String> lines) {
        return lines.filter(line -> !line.startsWith("\t"))
                .reduce((any, last) -> last)
                .orElse("it said nothing");
    }

    private static double millis(long nanos) {
        return nanos / 1e6;
    }

    /** Without the jars for GPUs, which a client of HDFS has not, and whose search for a driver takes time. */
    private static String clientClassPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !entry.contains("paritas-gpu") && !entry.contains("jcuda"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static List<String> command(String coder, Shape shape) {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of(
                "-cp",
                clientClassPath(),
                ColdMain.class.getName(),
                coder,
                Integer.toString(shape.code().k()),
                Integer.toString(shape.code().r()),
                Integer.toString(shape.unitLength())));
        return command;
    }
}
