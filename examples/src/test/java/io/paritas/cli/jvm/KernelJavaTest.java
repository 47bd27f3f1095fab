/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.jvm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code LauncherTest} compares {@code bin/paritas} with these options. */
class KernelJavaTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path CONF = ROOT.resolve("examples/src/main/conf");
    private static final KernelJava JAVA_17 = new KernelJava(17, Set.of(KernelJava.VECTORS, KernelJava.FOREIGN));
    private static final KernelJava JAVA_21 = new KernelJava(21, Set.of(KernelJava.VECTORS));

    @TempDir
    private Path folder;

    @Test
    void eachJavaGetsWhatItHas() {
        assertThat(JAVA_17.options())
                .containsExactly(
                        "--add-modules",
                        "jdk.incubator.vector,jdk.incubator.foreign",
                        "--enable-native-access=ALL-UNNAMED");
        assertThat(JAVA_21.options())
                .containsExactly("--add-modules", "jdk.incubator.vector", "--enable-native-access=ALL-UNNAMED");
        assertThat(new KernelJava(17, Set.of(KernelJava.VECTORS)).options()).isEqualTo(JAVA_21.options());
        assertThat(new KernelJava(21, Set.of()).options()).containsExactly("--enable-native-access=ALL-UNNAMED");
    }

    /** A JVM does not start with a module that it has not. */
    @Test
    void thisJavaStartsWithItsOptions() throws Exception {
        List<String> command = new ArrayList<>(KernelJava.running().options());
        command.add(0, Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-version");
        Process java = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(java.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(java.waitFor()).as(said).isZero();
    }

    @Test
    void hadoopsFileAndItsPageNameTheSame() throws Exception {
        assertThat(hadoopOptions("java.base jdk.incubator.foreign jdk.incubator.vector"))
                .containsExactlyElementsOf(asHadoopGets(JAVA_17));
        assertThat(hadoopOptions("java.base jdk.incubator.vector")).containsExactlyElementsOf(JAVA_21.options());

        String page = read("docs/install-hdfs.md");
        assertThat(Files.readAllLines(CONF.resolve("hadoop-env.sh")))
                .filteredOn(line -> !line.startsWith("# To append"))
                .hasSize(5)
                .allSatisfy(line -> assertThat(page).contains("\n   " + line + "\n"));
        assertThat(read("README.md"))
                .contains("Add `" + String.join(" ", JAVA_21.options()) + "` to `HADOOP_OPTS`")
                .contains("on Java 17 `" + JAVA_17.options().get(1) + "`");
    }

    /** The file adds the module of Java 17 by an option of its own. */
    private static List<String> asHadoopGets(KernelJava java) {
        List<String> options = new ArrayList<>(java.options());
        options.set(1, KernelJava.VECTORS);
        options.addAll(List.of("--add-modules", KernelJava.FOREIGN));
        return options;
    }

    private List<String> hadoopOptions(String modules) throws Exception {
        Files.writeString(folder.resolve("release"), "MODULES=\"" + modules + "\"\n");
        ProcessBuilder shell = new ProcessBuilder(
                "bash",
                "-c",
                ". \"$0\" && echo $HADOOP_OPTS",
                CONF.resolve("hadoop-env.sh").toString());
        shell.environment().put("JAVA_HOME", folder.toString());
        shell.environment().remove("HADOOP_OPTS");
        Process process = shell.redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return List.of(said.strip().split(" "));
    }

    @Test
    void sparksFileAndItsPageNameTheSame() throws Exception {
        List<String> options = JAVA_21.options();
        String value = String.join("=", options.subList(0, 2)) + " -XX:+IgnoreUnrecognizedVMOptions " + options.get(2);
        String modules = String.join("=", JAVA_17.options().subList(0, 2));
        List<String> lines = List.of(
                "spark.driver.extraJavaOptions   " + value + "\n", "spark.executor.extraJavaOptions " + value + "\n");
        assertThat(Files.readString(CONF.resolve("spark-defaults.conf")))
                .contains(lines)
                .contains(modules);
        assertThat(read("docs/install-spark.md")).contains(lines).contains("`" + modules + "`");
    }

    private static String read(String file) throws IOException {
        return Files.readString(ROOT.resolve(file));
    }
}
