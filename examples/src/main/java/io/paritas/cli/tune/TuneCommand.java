/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.tune;

import io.paritas.cli.machine.Machine;
import io.paritas.erasure.CodeFamily;
import io.paritas.erasure.CodeName;
import io.paritas.erasure.ErasureCode;
import io.paritas.erasure.Erasures;
import io.paritas.erasure.StripCode;
import io.paritas.erasure.StripTuning;
import io.paritas.erasure.SystematicCode;
import io.paritas.erasure.kernel.KernelChoice;
import io.paritas.erasure.kernel.Program;
import io.paritas.erasure.kernel.Tunable;
import io.paritas.erasure.kernel.Tuner;
import io.paritas.erasure.kernel.VectorSchedules;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Finds the fastest schedule for a code's encode and for two of its decodes, by measuring on this machine. */
@Command(
        name = "tune",
        header = "Finds the fastest schedules of codes on this machine.",
        description = {
            "",
            "Measures schedules on this machine and JDK, and keeps the fastest for later runs.",
            "This changes the speed only, never a byte. Run it on an idle machine.",
            ""
        },
        footer = {
            "",
            "Writes ~/.paritas/tuning.txt, or the file named by -Dio.paritas.kernel.tuning. Delete the file to undo.",
            "",
            "Example:",
            "  paritas tune --code rs-6-3 --budget 60"
        })
public final class TuneCommand implements Callable<Integer> {
    @Option(
            names = "--code",
            paramLabel = "NAME",
            split = ",",
            defaultValue = "rs-6-3",
            description = "Codes, such as rs-6-3, paritas-10-4 or strip-6-3-8. Default: ${DEFAULT-VALUE}")
    private List<CodeName> codes;

    @Option(
            names = "--budget",
            paramLabel = "SECONDS",
            defaultValue = "60",
            converter = Seconds.class,
            description = "Time to search for each code. Default: ${DEFAULT-VALUE}s")
    private Duration budget;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Seed of the search. Default: ${DEFAULT-VALUE}")
    private long seed;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        Tuner.unavailable().ifPresent(reason -> {
            throw new ParameterException(
                    spec.commandLine(), "Only vector kernels have schedules to tune, but " + reason + ".");
        });
        PrintWriter out = spec.commandLine().getOut();
        out.println(Machine.description() + ", seed " + seed);
        if (KernelChoice.current().provider().name().equals("machine")
                && codes.stream().anyMatch(code -> code.family() != CodeFamily.STRIP)) {
            out.println(
                    "Codes of bytes run on machine code in this JVM, which has no schedule to tune. What is found here counts"
                            + " where the vector kernel runs: where Java may not call native code, for some arrays before Java 22, or by"
                            + " -Dio.paritas.kernel=vector.");
        }
        for (CodeName code : codes) {
            Map<String, Tunable<?>> products = products(code.systematicCode());
            Duration share = budget.dividedBy(products.size());
            for (Map.Entry<String, Tunable<?>> product : products.entrySet()) {
                tune(out, code + " " + product.getKey(), product.getValue(), share);
            }
        }
        return 0;
    }

    /** What a code does most: encode, repair one data unit, repair as many as it can. */
    private static Map<String, Tunable<?>> products(SystematicCode code) {
        Map<String, Tunable<?>> products = new LinkedHashMap<>();
        products.put("encode", encoding(code));
        products.put("decode 1", decoding(code, Erasures.of(0)));
        int most = Math.min(code.parameters().k(), code.parameters().r());
        Erasures lost = Erasures.of(IntStream.range(0, most).toArray());
        if (most > 1 && code.canReconstruct(lost)) {
            products.put("decode " + most, decoding(code, lost));
        }
        return products;
    }

    private static Tunable<?> encoding(SystematicCode code) {
        return code instanceof StripCode strips
                ? StripTuning.encoding(strips)
                : new VectorSchedules(
                        Program.product(((ErasureCode) code).generator().toRows()));
    }

    private static Tunable<?> decoding(SystematicCode code, Erasures lost) {
        return code instanceof StripCode strips
                ? StripTuning.decoding(strips, lost)
                : new VectorSchedules(code.repairPlan(lost, lost).program());
    }

    private void tune(PrintWriter out, String name, Tunable<?> product, Duration share) throws IOException {
        out.printf(
                Locale.ROOT,
                "%n%s: %d to %d units, %d s%n",
                name,
                product.inputs(),
                product.outputs(),
                share.toSeconds());
        out.flush();
        Tuner.Report report = Tuner.tune(product, share, seed, result -> {
            out.printf(Locale.ROOT, "  %6.1f GB/s  %s%n", result.speed(), result.schedule());
            out.flush();
        });
        double gain = report.best().speed() / report.standard().speed();
        out.printf(
                Locale.ROOT,
                "  %d schedules tried; the best is %.2f times as fast as the standard one (%.1f and %.1f GB/s)%n",
                report.tried(),
                gain,
                report.best().speed(),
                report.standard().speed());
        report.choices()
                .forEach((choice, speed) -> out.printf(
                        Locale.ROOT,
                        "  without its %s: %.1f GB/s, %.2f of the best%n",
                        choice,
                        speed,
                        speed / report.best().speed()));
        out.println("  written to " + report.file());
        out.flush();
    }
}
