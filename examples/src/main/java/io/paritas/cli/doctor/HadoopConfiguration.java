/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.doctor;

import io.paritas.cli.jvm.KernelJava;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.erasurecode.CodecRegistry;

/** The settings for coders in a configuration folder of Hadoop. */
final class HadoopConfiguration {
    private static final List<String> FILES = List.of("core-site.xml", "hdfs-site.xml");

    private final Path folder;
    private final KernelJava java;
    private final Configuration configuration = new Configuration(false);

    /**
     * Reads the folder's files over Hadoop's defaults. The class path may have another folder's files, which are not meant.
     *
     * @param java that Hadoop runs on
     */
    HadoopConfiguration(Path folder, KernelJava java) {
        this.folder = folder;
        this.java = java;
        configuration.addResource("core-default.xml");
        configuration.addResource("hdfs-default.xml");
        for (String file : FILES) {
            if (Files.exists(folder.resolve(file))) {
                configuration.addResource(
                        new org.apache.hadoop.fs.Path(folder.resolve(file).toUri()));
            }
        }
    }

    Configuration configuration() {
        return configuration;
    }

    /** Returns the key of a codec's coders. */
    static String key(String codec) {
        return "io.erasurecode.codec." + codec + ".rawcoders";
    }

    /** Returns the coders of a codec as Hadoop reads them, with their blanks. */
    static List<String> coders(Configuration configuration, String codec) {
        String[] names = configuration.getStrings(key(codec));
        return names == null ? List.of() : List.of(names);
    }

    /** Where Hadoop's scripts look for it: the folder that these variables of the environment name, or that packages of Linux have. */
    static Path folder(Map<String, String> environment) {
        Optional<Path> unpacked = Optional.ofNullable(environment.get("HADOOP_HOME"))
                .map(home -> Path.of(home, "etc", "hadoop"))
                .filter(Files::isDirectory);
        return Optional.ofNullable(environment.get("HADOOP_CONF_DIR"))
                .map(Path::of)
                .or(() -> unpacked)
                .orElse(Path.of("/etc/hadoop/conf"));
    }

    private Path core() {
        return folder.resolve("core-site.xml");
    }

    /** Returns what is wrong if Hadoop cannot read these files, or they are not there: what it does then says nothing of a cluster. */
    Optional<Finding> unreadable() {
        if (!Files.exists(core())) {
            return Optional.of(Finding.failure(
                    "no core-site.xml in " + folder.toAbsolutePath(),
                    "name the folder with --conf, or set HADOOP_CONF_DIR, which hadoop envvars shows"));
        }
        return FILES.stream()
                .map(folder::resolve)
                .filter(Files::exists)
                .flatMap(file -> trouble(file).stream())
                .findFirst();
    }

    private static Optional<Finding> trouble(Path file) {
        Configuration alone = new Configuration(false);
        alone.addResource(new org.apache.hadoop.fs.Path(file.toUri()));
        try {
            alone.size();
            return Optional.empty();
        } catch (RuntimeException e) {
            return Optional.of(Finding.failure(
                    "Hadoop cannot read " + file + ": " + e.getMessage().replaceAll("\\s+", " "),
                    "mend the file: no program of Hadoop starts with it"));
        }
    }

    List<Finding> check() {
        List<Finding> findings = new ArrayList<>();
        findings.add(Finding.ok("configuration " + core()));
        findings.addAll(coders("rs", "rs_paritas"));
        findings.addAll(coders("xor", "xor_paritas"));
        findings.add(vectors());
        machineCode().ifPresent(findings::add);
        return findings;
    }

    private List<Finding> coders(String codec, String ours) {
        List<Finding> findings = new ArrayList<>();
        List<String> names = coders(configuration, codec);
        findings.add(order(codec, ours, names));
        List<String> known = Arrays.asList(CodecRegistry.getInstance().getCoderNames(codec));
        for (String name : names) {
            if (known.contains(name.strip()) && !known.contains(name)) {
                findings.add(Finding.failure(
                        key(codec) + " names '" + name.replaceAll("\\s", " ")
                                + "' with a blank, which Hadoop takes for a part of the name, so it skips it in silence",
                        "write " + names.stream().map(String::strip).collect(Collectors.joining(","))));
            } else if (!known.contains(name)) {
                findings.add(Finding.failure(
                        key(codec) + " names '" + name
                                + "', which no jar on this class path has; Hadoop skips it in silence",
                        "one of " + known));
            }
        }
        return findings;
    }

    private static Finding order(String codec, String ours, List<String> names) {
        String value = key(codec) + " = " + String.join(",", names).replaceAll("\\s", " ");
        if (!names.isEmpty() && names.get(0).equals(ours)) {
            return Finding.ok(value);
        }
        String remedy = "set it to " + ours + "," + codec + "_native," + codec
                + "_java in core-site.xml of every client and DataNode";
        return codec.equals("rs")
                ? Finding.failure(value + ": " + ours + " is not the first coder, so it is not used", remedy)
                : Finding.warning(value + ": files with an XOR policy do not use " + ours, remedy);
    }

    private Finding vectors() {
        if (!java.hasVectors()) {
            return fileWith(KernelJava.VECTORS)
                    .map(path -> Finding.failure(
                            "this Java has no " + KernelJava.VECTORS + " and does not start with --add-modules in "
                                    + path,
                            "leave the flag out"))
                    .orElseGet(() -> Finding.warning(
                            "this Java has no " + KernelJava.VECTORS + ": daemons and clients run without vectors",
                            "take a Java with all modules, or leave it so"));
        }
        return fileWith(KernelJava.VECTORS)
                .map(path -> Finding.ok("--add-modules " + KernelJava.VECTORS + " in " + path))
                .orElseGet(() -> Finding.warning(
                        "no JVM flag for vectors in hadoop-env.sh: daemons and clients run the plain kernel",
                        addFlags()));
    }

    /** Whoever has the flag for vectors may lack others only. */
    private Optional<Finding> machineCode() {
        if (!java.hasVectors() || fileWith(KernelJava.VECTORS).isEmpty()) {
            return Optional.empty();
        }
        return java.forMachineCode().stream()
                .filter(flag -> fileWith(flag).isEmpty())
                .findFirst()
                .map(flag -> Finding.warning(
                        "no " + flag + " in hadoop-env.sh: Hadoop runs on Java " + java.version()
                                + ", where machine code would be the fastest kernel (Linux on x86-64 or AArch64)",
                        addFlags()));
    }

    private String addFlags() {
        return "export HADOOP_OPTS=\"$HADOOP_OPTS " + String.join(" ", java.options()) + "\" in "
                + folder.resolve("hadoop-env.sh");
    }

    private Optional<Path> fileWith(String flag) {
        return List.of("hadoop-env.sh", "hdfs-env.sh").stream()
                .map(folder::resolve)
                .filter(file -> mentions(file, flag))
                .findFirst();
    }

    private static boolean mentions(Path file, String flag) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1) // comments may be in any encoding
                    .lines()
                    .anyMatch(line -> !line.stripLeading().startsWith("#") && line.contains(flag));
        } catch (IOException e) {
            return false;
        }
    }
}
