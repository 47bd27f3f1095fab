/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.doctor;

import io.paritas.cli.bench.Speed;
import io.paritas.cli.jvm.KernelJava;
import io.paritas.cli.machine.Machine;
import io.paritas.erasure.CodeParameters;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Reads a configuration folder of Hadoop and reports whether HDFS uses our coder, which kernel it runs, and how fast. */
@Command(
        name = "doctor",
        header = "Checks whether a Hadoop installation uses our coder.",
        description = {
            "",
            "Reports whether the coder is configured and found, which kernel runs and why, whether it computes the bytes of"
                    + " rs_java, and how fast. The exit status is 1 if something is wrong.",
            "",
            "Examines the Hadoop whose command is $HADOOP_HOME/bin/hadoop, or hadoop in the PATH, on that one's class path and Java."
                    + " Where there is none, only the configuration is checked, with the Hadoop that comes with Paritas.",
            ""
        },
        footer = {"", "Example: paritas doctor --conf /etc/hadoop/conf"})
public final class DoctorCommand implements Callable<Integer> {
    private static final String WARM_UP = "io.paritas.kernel.warmUp";

    @Option(
            names = "--conf",
            paramLabel = "DIR",
            description = "The configuration folder. Default: $HADOOP_CONF_DIR, or $HADOOP_HOME/etc/hadoop, or"
                    + " /etc/hadoop/conf")
    private Path folder = HadoopConfiguration.folder(System.getenv());

    @Spec
    private CommandSpec spec;

    private final Installation installation = Installation.examined();

    /** For how long the speed of a coder is measured. Tests that look at other findings take no time for it. */
    private final Duration measured = Duration.ofMillis(Long.getLong("paritas.doctor.measuredMillis", 500));

    @Override
    public Integer call() throws IOException {
        if (System.getProperty(WARM_UP) == null) {
            System.setProperty(WARM_UP, "0"); // the kernel that is named computes the checked bytes, from the first on
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println(Machine.description());
        List<Finding> findings = findings();
        findings.forEach(out::println);
        long failures = findings.stream()
                .filter(f -> f.level() == Finding.Level.FAILURE)
                .count();
        out.println(failures == 0 ? installation.conclusion() : failures + " thing(s) to mend.");
        return failures == 0 ? 0 : 1;
    }

    private List<Finding> findings() throws IOException {
        List<Finding> findings = new ArrayList<>();
        HadoopConfiguration hadoop = new HadoopConfiguration(folder, KernelJava.running());
        findings.addAll(installation.check());
        hadoop.unreadable().ifPresent(findings::add);
        if (findings.stream().noneMatch(finding -> finding.level() == Finding.Level.FAILURE)) {
            findings.addAll(hadoop.check());
            findings.addAll(new CoderCheck(hadoop.configuration()).check());
            findings.addAll(new PolicyCheck(hadoop.configuration()).check());
            findings.add(speed(Speed.ofEncoding(new CodeParameters(6, 3), measured)));
        }
        return findings;
    }

    /** Compiled, any kernel of ours is faster than rs_java. */
    static Finding speed(Speed speed) {
        if (speed.ours() < speed.rsJava()) {
            return Finding.warning(
                    String.format(
                            Locale.ROOT,
                            "the speed was not measured: the compiler had no time (%.2f GB/s on one thread, rs_java %.2f GB/s)",
                            speed.ours(),
                            speed.rsJava()),
                    "ask again when the machine is idle");
        }
        return Finding.ok(String.format(
                Locale.ROOT,
                "encodes RS(6,3) at %.1f GB/s on one thread, %.0f times rs_java (%.2f GB/s)",
                speed.ours(),
                speed.ours() / speed.rsJava(),
                speed.rsJava()));
    }
}
