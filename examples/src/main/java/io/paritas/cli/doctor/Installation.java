/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.doctor;

import io.paritas.erasure.ErasureCode;
import java.net.URI;
import java.net.URL;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import org.apache.hadoop.io.erasurecode.CodecRegistry;

/**
 * The Hadoop that is examined: whose class path this JVM has, and what {@code bin/paritas} tells of it.
 *
 * @param hadoop its command; empty if none was found, so that this is the Hadoop of Paritas
 * @param ownJar the jar that comes with Paritas, at the end of the class path; empty if Hadoop's has the same file
 * @param oldJava version and folder of its Java; empty if that runs our jar
 */
record Installation(Optional<String> hadoop, Optional<Path> ownJar, Optional<String> oldJava) {

    private static final String CODE = "io/paritas/erasure/ErasureCode.class";

    static Installation examined() {
        return new Installation(property("hadoop"), property("ownJar").map(Path::of), property("oldJava"));
    }

    private static Optional<String> property(String name) {
        return Optional.ofNullable(System.getProperty("paritas.doctor." + name));
    }

    List<Finding> check() {
        List<Finding> findings = new ArrayList<>();
        findings.add(
                hadoop.map(command -> Finding.ok("the Hadoop of " + command))
                        .orElse(
                                Finding.warning(
                                        "no installed Hadoop is examined: there is no command hadoop in the PATH, and none in $HADOOP_HOME/bin",
                                        "set HADOOP_HOME; what follows is about the configuration, and the Hadoop that comes with Paritas")));
        oldJava.map(Installation::tooOld).ifPresent(findings::add);
        findings.add(jar());
        others().ifPresent(findings::add);
        broken().ifPresent(findings::add);
        return findings;
    }

    private static Finding tooOld(String java) {
        return Finding.failure(
                "Hadoop runs on Java " + java + ", where our jar breaks all erasure coding: it takes Java 17 or newer",
                "set JAVA_HOME in hadoop-env.sh to a newer one, or remove the jar");
    }

    /** Java skips a jar that it cannot read in silence, so what counts is where our classes are from. */
    private Finding jar() {
        CodeSource source = ErasureCode.class.getProtectionDomain().getCodeSource();
        Path jar = Path.of(URI.create(source.getLocation().toString()));
        return ownJar.equals(Optional.of(jar))
                ? Finding.failure(
                        "our coder is not on Hadoop's class path, or its jar there cannot be read",
                        "copy paritas-hdfs-codec-*.jar to share/hadoop/common/lib of every client and DataNode, so that the"
                                + " users who run Hadoop can read it")
                : Finding.ok("our coder is on the class path: " + jar);
    }

    /** Hadoop's class path names folders, of whose jars Java takes any first. */
    private Optional<Finding> others() {
        List<Path> jars = ErasureCode.class
                .getClassLoader()
                .resources(CODE)
                .map(Installation::place)
                .filter(place -> !place.getFileName().toString().startsWith("paritas-spark"))
                .filter(place -> !ownJar.equals(Optional.of(place)))
                .toList();
        return jars.size() < 2
                ? Optional.empty()
                : Optional.of(Finding.warning(
                        "several of our jars are on Hadoop's class path, and nothing says which one is used: " + jars,
                        "leave one, and delete the others while no daemon runs"));
    }

    private static Path place(URL code) {
        String text = code.toString();
        return Path.of(URI.create(text.substring(0, text.length() - CODE.length())
                .replaceFirst("^jar:", "")
                .replaceFirst("!/$", "")));
    }

    /** Hadoop looks for coders in all jars, and has none at all if one of these is broken. */
    private static Optional<Finding> broken() {
        try {
            CodecRegistry.getInstance();
            return Optional.empty();
        } catch (ServiceConfigurationError | LinkageError e) {
            Throwable cause = e;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            return Optional.of(Finding.failure(
                    "Hadoop cannot load the coders on its class path, so all erasure coding fails: " + cause,
                    "remove the jar that names this class in META-INF/services, or add what it lacks"));
        }
    }

    /** What the command says in the end, if there is nothing to mend. */
    String conclusion() {
        return hadoop.isPresent()
                ? "HDFS uses our coder here."
                : "The configuration is right. No installed Hadoop was examined.";
    }
}
