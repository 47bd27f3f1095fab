/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.doctor;

import io.paritas.cli.bench.Speed;
import io.paritas.cli.machine.Machine;
import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.ErasureCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
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
            "Checks the class path of the command 'hadoop' if it is on the PATH; otherwise the Hadoop that comes with Paritas.",
            ""
        },
        footer = {"", "Example: paritas doctor --conf /etc/hadoop/conf"})
public final class DoctorCommand implements Callable<Integer> {
    @Option(
            names = "--conf",
            paramLabel = "DIR",
            defaultValue = "${env:HADOOP_CONF_DIR:-/etc/hadoop/conf}",
            description = "The configuration folder. Default: $HADOOP_CONF_DIR, or /etc/hadoop/conf")
    private Path folder;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        out.println(Machine.description());
        List<Finding> findings = findings();
        findings.forEach(out::println);
        long failures = findings.stream()
                .filter(f -> f.level() == Finding.Level.FAILURE)
                .count();
        out.println(failures == 0 ? "HDFS uses our coder here." : failures + " thing(s) to mend.");
        return failures == 0 ? 0 : 1;
    }

    private List<Finding> findings() throws IOException {
        List<Finding> findings = new ArrayList<>();
        HadoopConfiguration hadoop = new HadoopConfiguration(folder);
        findings.add(jar());
        hadoop.unreadable().ifPresent(findings::add);
        if (findings.stream().allMatch(finding -> finding.level() == Finding.Level.OK)) {
            findings.addAll(hadoop.check());
            findings.addAll(new CoderCheck(hadoop.configuration()).check());
            findings.addAll(new PolicyCheck(hadoop.configuration()).check());
            findings.add(speed());
        }
        return findings;
    }

    /** {@code bin/paritas} compares with what the command {@code hadoop} prints, and tells. */
    private static Finding jar() {
        return Boolean.getBoolean("paritas.doctor.hadoopLacksJar")
                ? Finding.failure(
                        "our coder is not on the class path that 'hadoop classpath' prints",
                        "copy paritas-hdfs-codec-*.jar to share/hadoop/common/lib of every client and DataNode")
                : Finding.ok("our coder is on the class path: "
                        + ErasureCode.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation());
    }

    private static Finding speed() throws IOException {
        Speed speed = Speed.ofEncoding(new CodeParameters(6, 3));
        return Finding.ok(String.format(
                Locale.ROOT,
                "encodes RS(6,3) at %.1f GB/s on one thread, %.0f times rs_java (%.2f GB/s)",
                speed.ours(),
                speed.ours() / speed.rsJava(),
                speed.rsJava()));
    }
}
