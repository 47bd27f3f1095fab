/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.bench;

import io.paritas.erasure.CodeParameters;
import io.paritas.examples.Machine;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints a table: code × operation, in GB/s for each coder, and the ratio to Hadoop's {@code rs_java}. */
@Command(
        name = "bench",
        description =
                "Measures the coders of HDFS's codec rs on this machine: Hadoop's rs_java, and ours on each kernel.",
        footer = {"", "Example: paritas bench --code 6-3 --unit 131072"})
public final class BenchCommand implements Callable<Integer> {
    @Option(
            names = "--code",
            paramLabel = "K-R",
            split = ",",
            defaultValue = "3-2,6-3,10-4",
            description = "The codes. Default: ${DEFAULT-VALUE}")
    private List<CodeParameters> codes;

    @Option(
            names = "--unit",
            paramLabel = "BYTES",
            split = ",",
            defaultValue = "65536,1048576",
            description = "The lengths of a unit. Default: ${DEFAULT-VALUE}")
    private List<Integer> unitLengths;

    @Option(
            names = "--seconds",
            defaultValue = "1",
            description = "How long each figure is measured, after a warm-up as long. Default: ${DEFAULT-VALUE}")
    private double seconds;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        List<Coder> coders = Coder.available();
        PrintWriter out = spec.commandLine().getOut();
        out.println(Machine.description());
        out.println("One thread, heap arrays; GB/s (10^9) of data; (ratio to rs_java). Medians of turns of 10 ms.");
        for (int unitLength : unitLengths) {
            printHeader(out, coders, unitLength);
            for (CodeParameters code : codes) {
                for (Operation operation : Operation.values()) {
                    printRow(out, coders, Stripe.random(code, unitLength), operation);
                }
            }
        }
        return 0;
    }

    private static void printHeader(PrintWriter out, List<Coder> coders, int unitLength) {
        out.printf("%nunits of %,d bytes%n%-8s %-20s", unitLength, "code", "operation");
        coders.forEach(coder -> out.printf(" %16s", coder.name()));
        out.println();
    }

    private void printRow(PrintWriter out, List<Coder> coders, Stripe stripe, Operation operation) throws IOException {
        out.printf("%-8s %-20s", stripe.code(), operation.title);
        out.flush();
        for (Race.Result result :
                new Race(stripe, operation, coders).run(Duration.ofMillis(Math.round(1000 * seconds)))) {
            out.printf(Locale.ROOT, " %8.2f (%4.1fx)", result.gigabytesPerSecond(), result.ratio());
        }
        out.println();
    }
}
