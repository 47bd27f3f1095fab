/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paritas.cli.jvm.KernelJava;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code bin/paritas}, with a Java that only tells how it was called. */
class LauncherTest {
    private static final Path SCRIPT = Path.of("..", "bin", "paritas");
    private static final String PROGRAM = "lib/paritas-examples-1.jar";

    @TempDir
    private Path home;

    @BeforeEach
    void fill() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/bin/bash")), "the script is for bash");
        Files.createDirectories(home.resolve("bin"));
        Files.copy(SCRIPT, home.resolve("bin/paritas"));
        Files.createDirectories(home.resolve("lib"));
        Files.createFile(home.resolve(PROGRAM));
        Path java = Files.writeString(
                home.resolve("bin/java"), "#!/bin/sh\necho \"locale $LC_ALL\"\nprintf '%s\\n' \"$@\"\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
    }

    @Test
    void filesMayHaveAnyNameWithoutALocale() throws Exception {
        assertThat(paritas(Map.of())).startsWith("locale C.UTF-8\n");
        assertThat(paritas(Map.of("LC_ALL", "C"))).startsWith("locale C.UTF-8\n");
        assertThat(paritas(Map.of("LANG", "POSIX"))).startsWith("locale C.UTF-8\n");
        assertThat(paritas(Map.of("LANG", "C.UTF-8")))
                .as("a locale that will do")
                .startsWith("locale \n");
    }

    /** As Alpine Linux. */
    @Test
    void aSystemMayHaveNoProgramForLocales() throws Exception {
        Path none = Files.writeString(home.resolve("bin/locale"), "#!/bin/sh\nexit 127\n");
        assertThat(none.toFile().setExecutable(true)).isTrue();
        assertThat(paritas(Map.of())).startsWith("locale C.UTF-8\n");
        for (String variable : List.of("LC_ALL", "LC_CTYPE", "LANG")) {
            assertThat(paritas(Map.of(variable, "POSIX"))).as(variable).startsWith("locale C.UTF-8\n");
        }
        assertThat(paritas(Map.of("LC_ALL", "C.UTF-8", "LANG", "C"))).startsWith("locale C.UTF-8\n");
        assertThat(paritas(Map.of("LANG", "de_DE.UTF-8"))).startsWith("locale \n");
    }

    /** The last one would be the file of this module. */
    @Test
    void optionsForJavaAreNoPatternsOfFiles() throws Exception {
        assertThat(paritas(Map.of("PARITAS_OPTS", "-Xlog:gc* -Xmx1g -Da=[x]?b pom.x?l")))
                .contains("\n-Xlog:gc*\n-Xmx1g\n-Da=[x]?b\npom.x?l\n-cp\n");
    }

    /** As for large pages that it cannot have. What a command prints may go on, as jars to spark-submit --jars. */
    @Test
    void warningsOfJavaAreNoOutputOfACommand() throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                        "/bin/bash", home.resolve("bin/paritas").toString(), "encode")
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("JAVA_TOOL_OPTIONS", "-Xlog:gc");
        builder.environment().remove("JDK_JAVA_OPTIONS");
        builder.environment().put("PARITAS_OPTS", "-version");
        Process process = builder.start();
        assertThat(new String(process.getInputStream().readAllBytes(), UTF_8)).isEmpty();
        assertThat(process.waitFor()).isZero();
    }

    /** A command {@code hadoop} that tells what is asked of it. */
    private Path hadoop(String classPath, Path java) throws Exception {
        Path folder = Files.createDirectories(home.resolve("hadoop/bin"));
        Path command = Files.writeString(
                folder.resolve("hadoop"),
                "#!/bin/sh\ncase $1 in classpath) echo '%s';; envvars) echo \"JAVA_HOME='%s'\";; esac\n"
                        .formatted(classPath, java));
        assertThat(command.toFile().setExecutable(true)).isTrue();
        return home.resolve("hadoop");
    }

    private Path ownJar() throws Exception {
        Path folder = Files.createDirectories(home.resolve("hdfs"));
        return Files.createFile(folder.resolve("paritas-hdfs-codec-1.jar"));
    }

    /** A folder of a Java that tells how it was called. */
    private Path java(String version) throws Exception {
        Path folder = home.resolve("java-" + version);
        Files.createDirectories(folder.resolve("bin"));
        Files.writeString(folder.resolve("release"), "JAVA_VERSION=\"" + version + ".0.2\"\n");
        Path command = Files.writeString(
                folder.resolve("bin/java"), "#!/bin/sh\necho Java of Hadoop\nprintf '%s\\n' \"$@\"\n");
        assertThat(command.toFile().setExecutable(true)).isTrue();
        return folder;
    }

    @Test
    void theDoctorRunsOnTheClassPathAndTheJavaOfHadoop() throws Exception {
        Path own = ownJar();
        Path hadoop = hadoop("/etc/hadoop:/opt/hadoop/lib/a.jar", java("21"));
        for (Map<String, String> environment : List.of(
                Map.of("HADOOP_HOME", hadoop.toString()),
                Map.of("PATH", hadoop.resolve("bin") + ":" + home.resolve("bin") + ":/usr/bin:/bin"),
                Map.of(
                        "HADOOP_HOME",
                        home.resolve("removed").toString(),
                        "PATH",
                        hadoop.resolve("bin") + ":" + home.resolve("bin") + ":/usr/bin:/bin"))) {
            for (String[] words : new String[][] {{"doctor"}, {"--verbose", "doctor"}}) {
                assertThat(paritas(environment, words))
                        .startsWith("Java of Hadoop\n")
                        .contains("-Dparitas.doctor.hadoop=" + hadoop + "/bin/hadoop\n")
                        .contains("-Dparitas.doctor.ownJar=" + own + "\n")
                        .contains(":/etc/hadoop:/opt/hadoop/lib/a.jar:" + own + ":")
                        .doesNotContain("oldJava");
            }
        }
    }

    /** A jar for Spark has our coders as well: before Hadoop's class path it would hide that Hadoop has none. */
    @Test
    void aDistributionsJarForSparkComesAfterHadoops() throws Exception {
        Path own = ownJar();
        Path spark =
                Files.createFile(Files.createDirectories(home.resolve("spark")).resolve("paritas-spark_2.13-1.jar"));
        Path hadoop = hadoop("/etc/hadoop", java("17"));

        assertThat(paritas(Map.of("HADOOP_HOME", hadoop.toString()), "doctor"))
                .contains("paritas-examples-1.jar:/etc/hadoop:" + own + ":" + spark + "\n");
    }

    /** Whose options for a newer one end it, when Hadoop starts it for its class path. */
    @Test
    void theDoctorIsToldOfAnOldJava() throws Exception {
        ownJar();
        Path java = java("11");
        Path hadoop = hadoop("/etc/hadoop", java);
        Path command = hadoop.resolve("bin/hadoop");
        String ends = "[ \"$2\" != --glob ] || { echo 'Unrecognized option: --add-modules' >&2; exit 1; }\n";
        Files.writeString(command, Files.readString(command).replace("case", ends + "case"));
        assertThat(paritas(Map.of("HADOOP_HOME", hadoop.toString()), "doctor"))
                .startsWith("locale ")
                .contains(":/etc/hadoop:", "-Dparitas.doctor.oldJava=11 in " + java + "\n");
    }

    /** As Linux packages it: the file that tells the version is not in the folder of the Java. */
    private Path java8() throws Exception {
        Path jdk = home.resolve("jdk8");
        Files.createDirectories(jdk.resolve("bin"));
        Files.createDirectories(jdk.resolve("jre/bin"));
        Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"1.8.0_392\"\n");
        Path command = Files.writeString(
                jdk.resolve("jre/bin/java"),
                "#!/bin/sh\ncase $1 in -version) echo 'openjdk version \"1.8.0_392\"' >&2;; *) exit 1;; esac\n");
        assertThat(command.toFile().setExecutable(true)).isTrue();
        Files.createSymbolicLink(jdk.resolve("bin/java"), Path.of("../jre/bin/java"));
        return jdk;
    }

    @Test
    void aJava8IsKnownWhereverItsFileLies() throws Exception {
        ownJar();
        Path jdk = java8();
        for (Path java : List.of(jdk, jdk.resolve("jre"))) {
            assertThat(paritas(Map.of("HADOOP_HOME", hadoop("/etc/hadoop", java).toString()), "doctor"))
                    .startsWith("locale ")
                    .contains("-Dparitas.doctor.oldJava=8 in " + java + "\n");
        }
        assertRefused(jdk);
    }

    @Test
    void aJavaWithoutAFileIsAskedForItsVersion() throws Exception {
        Path jdk = java8();
        Files.delete(jdk.resolve("release"));
        assertRefused(jdk);
    }

    private void assertRefused(Path java) throws Exception {
        assertThat(statuses(Map.of("JAVA_HOME", java.toString())))
                .containsOnly("paritas: a Java 17 or newer is needed, " + java.resolve("bin/java")
                        + " is 8: install one, or set JAVA_HOME\n");
    }

    @Test
    void theDoctorStartsOnAJavaWithoutVectors() throws Exception {
        ownJar();
        Path java = java("21");
        Path hadoop = hadoop("/etc/hadoop", java);
        Map<String, String> environment = Map.of("HADOOP_HOME", hadoop.toString());
        assertThat(listing(java, "java.base@21\njdk.incubator.vector@21", environment))
                .startsWith("Java of Hadoop\n--add-modules\njdk.incubator.vector\n")
                .contains(words(new KernelJava(21, Set.of(KernelJava.VECTORS))));
        assertThat(listing(java, "java.base@21\njava.sql@21", environment))
                .startsWith("Java of Hadoop\n-XX:+IgnoreUnrecognizedVMOptions\n")
                .contains("-Dparitas.doctor.hadoop=");
    }

    @Test
    void theModuleForMachineCodeIsNamedWhereTheJavaHasIt() throws Exception {
        ownJar();
        Path java = java("17");
        Files.writeString(
                java.resolve("release"),
                "JAVA_VERSION=\"17.0.15\"\nMODULES=\"java.base jdk.incubator.foreign jdk.incubator.vector\"\n");
        Map<String, String> environment =
                Map.of("HADOOP_HOME", hadoop("/etc/hadoop", java).toString());
        assertThat(listing(java, "java.base@17\njdk.incubator.vector@17", environment))
                .startsWith("Java of Hadoop\n--add-modules\njdk.incubator.vector,jdk.incubator.foreign\n")
                .contains(words(new KernelJava(17, Set.of(KernelJava.VECTORS, KernelJava.FOREIGN))));
    }

    /** The options that the script must give such a Java, among others. */
    private static List<String> words(KernelJava java) {
        return java.options().stream().map(word -> "\n" + word + "\n").toList();
    }

    private String listing(Path java, String modules, Map<String, String> environment) throws Exception {
        Files.writeString(
                java.resolve("bin/java"),
                "#!/bin/sh\n[ \"$1\" != --list-modules ] || { echo '" + modules + "'; exit; }\n"
                        + "echo Java of Hadoop\nprintf '%s\\n' \"$@\"\n");
        return paritas(environment, "doctor");
    }

    /** A command of somebody else's, which knows nothing but the class path: there is a /bin/java on many machines. */
    @Test
    void theDoctorRunsOnOurJavaWhereHadoopNamesNone() throws Exception {
        ownJar();
        Path hadoop = hadoop("/etc/hadoop", java("17"));
        Path command = hadoop.resolve("bin/hadoop");
        Files.writeString(command, Files.readString(command).replaceAll("envvars\\).*;; esac", "esac"));
        assertThat(paritas(Map.of("HADOOP_HOME", hadoop.toString()), "doctor")).startsWith("locale ");
    }

    /** A checkout whose Maven takes a while, in which something happens. */
    private void checkout(String meanwhile) throws Exception {
        Files.createFile(home.resolve("pom.xml"));
        for (String module : List.of("hdfs-codec", "spark-ec", "spark-inference", "gpu", "examples")) {
            Files.createDirectories(home.resolve(module).resolve("src/main"));
            Files.createFile(home.resolve(module).resolve("pom.xml"));
        }
        Path maven = Files.writeString(
                home.resolve("mvnw"),
                "#!/bin/sh\necho builds\n" + meanwhile
                        + "\nmkdir -p examples/target m\ntouch examples/target/paritas-examples-1.jar\n"
                        + "cd m && touch paritas-hdfs-codec-1.jar picocli-4.jar paritas-spark-ec-1.jar && cd ..\n"
                        + "printf %s $PWD/m/paritas-hdfs-codec-1.jar:$PWD/m/picocli-4.jar:$PWD/m/paritas-spark-ec-1.jar"
                        + " >examples/target/paritas.classpath\n");
        assertThat(maven.toFile().setExecutable(true)).isTrue();
    }

    /** Both would build in the same folders. A lock that the program kept would hold up others for as long as it runs. */
    @Test
    void commandsBuildOneAfterTheOtherAndKeepNoLock() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/flock")), "there is no flock");
        checkout("touch started; until [ -f go ]; do sleep 0.05; done");
        Files.writeString(home.resolve("bin/java"), "#!/bin/bash\n[ ! -e /proc/$$/fd/9 ] || echo locked\necho runs\n");
        Process first = start();
        try {
            while (!Files.exists(home.resolve("started"))) {
                assertThat(first.isAlive()).isTrue();
                Thread.sleep(10);
            }
            Process second = start();
            BufferedReader said = second.inputReader(UTF_8);
            assertThat(said.readLine()).isEqualTo("paritas: waiting for another command that builds ...");
            Files.createFile(home.resolve("go"));

            assertThat(said.lines()).containsExactly("runs");
            assertThat(first.inputReader(UTF_8).lines())
                    .contains("builds", "runs")
                    .doesNotContain("locked");
            assertThat(first.waitFor() + second.waitFor()).isZero();
        } finally { // its build would wait for ever
            first.descendants().forEach(ProcessHandle::destroyForcibly);
        }
    }

    private Process start() throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder("/bin/bash", home.resolve("bin/paritas").toString()).redirectErrorStream(true);
        builder.environment().put("PATH", home.resolve("bin") + ":/usr/bin:/bin");
        builder.environment().remove("JAVA_HOME");
        return builder.start();
    }

    @Test
    void whatChangesDuringABuildIsBuiltTheNextTime() throws Exception {
        checkout("[ -f saved ] || { sleep 0.1; touch saved gpu/src/main/Saved.java; }");

        assertThat(paritas(Map.of())).contains("builds\n");
        assertThat(paritas(Map.of())).contains("builds\n");
        assertThat(paritas(Map.of())).doesNotContain("builds\n");
    }

    /** As after a build that was killed, or a clean of one module. Maven writes the class path without a line's end. */
    @Test
    void whatIsMissingIsBuilt() throws Exception {
        checkout("");
        assertThat(paritas(Map.of())).contains("builds\n");
        Path classPath = home.resolve("examples/target/paritas.classpath");
        String whole = Files.readString(classPath);
        for (String cut : List.of("", whole.substring(0, whole.length() - 3))) {
            Files.writeString(classPath, cut);
            assertThat(paritas(Map.of())).as(cut).contains("builds\n");
            assertThat(classPath).hasContent(whole);
        }
        for (String jar : List.of("m/picocli-4.jar", "examples/target/paritas-examples-1.jar")) {
            Files.delete(home.resolve(jar));
            assertThat(paritas(Map.of())).as(jar).contains("builds\n");
        }
        assertThat(paritas(Map.of())).doesNotContain("builds\n");
    }

    @Test
    void aBuildNeedsNoOtherFolder() throws Exception {
        checkout("");
        assertThat(paritas(Map.of("TMPDIR", "/missing"))).contains("builds\n");
    }

    /** Here after a build that makes nothing. */
    @Test
    void aScriptThatFailsHasFoundNothingOut() throws Exception {
        checkout("mkdir -p examples/target; touch examples/target/paritas.classpath; exit");
        for (String said : statuses(Map.of("JAVA_HOME", home.toString()))) {
            assertThat(said).endsWith("paritas: this script has failed\n");
        }
    }

    /** As by Ctrl-C, while Maven runs. */
    @Test
    void aScriptThatIsEndedHasNotFailed() throws Exception {
        checkout("touch started; until [ -f go ]; do sleep 0.05; done");
        Process process = start();
        while (!Files.exists(home.resolve("started"))) {
            assertThat(process.isAlive()).isTrue();
            Thread.sleep(10);
        }
        List<ProcessHandle> build = process.descendants().toList();
        try {
            process.toHandle().destroy(); // which leaves its output open
            assertThat(process.waitFor()).isEqualTo(128 + 15);
            Files.createFile(home.resolve("go"));
            assertThat(process.inputReader(UTF_8).lines())
                    .containsExactly("paritas: building (the first time this takes some minutes) ...", "builds");
        } finally { // it would wait for ever
            build.forEach(ProcessHandle::destroyForcibly);
        }
    }

    @Test
    void ourJarMayBeOnTheClassPathOfHadoop() throws Exception {
        Path own = ownJar();
        Path hadoop = hadoop("/etc/hadoop:" + own, java("17"));
        assertThat(paritas(Map.of("HADOOP_HOME", hadoop.toString()), "doctor"))
                .contains(":/etc/hadoop:" + own + ":")
                .doesNotContain("ownJar");
    }

    @Test
    void withoutAHadoopTheDoctorIsToldOfNone() throws Exception {
        ownJar();
        assertThat(paritas(Map.of(), "doctor")).doesNotContain("-Dparitas.doctor");
    }

    @Test
    void withoutAJavaNothingIsFoundOut() throws Exception {
        Path none = home.resolve("none");
        for (String said : statuses(Map.of("JAVA_HOME", none.toString()))) {
            assertThat(said)
                    .startsWith("paritas: a Java 17 or newer is needed, " + none.resolve("bin/java") + " is not there");
        }
    }

    /** As while another version is unpacked. Java would end with 1. */
    @Test
    void withoutItsProgramADistributionFindsNothingOut() throws Exception {
        Files.delete(home.resolve(PROGRAM));
        for (String said : statuses(Map.of("JAVA_HOME", System.getProperty("java.home")))) {
            assertThat(said)
                    .isEqualTo("paritas: no jar paritas-examples is in " + home.toRealPath()
                            + "/lib: unpack the distribution of Paritas anew\n");
        }
    }

    /** For want of memory, say. */
    @Test
    void whereJavaDoesNotStartNothingIsFoundOut() throws Exception {
        String java = System.getProperty("java.home");
        for (String said : statuses(Map.of("JAVA_HOME", java, "PARITAS_OPTS", "-Xmx=all"))) {
            assertThat(said).contains("Invalid maximum heap size");
        }
    }

    /** As where a copy of the distribution has ended halfway. */
    @Test
    void whereItsProgramIsCutOffNothingIsFoundOut() throws Exception {
        byte[] whole = jar();
        for (int length : new int[] {6, whole.length - 22, whole.length - 1}) {
            Files.write(home.resolve(PROGRAM), Arrays.copyOf(whole, length));
            for (String said : statuses(Map.of("JAVA_HOME", System.getProperty("java.home")))) {
                assertThat(said)
                        .as("%d of %d bytes", length, whole.length)
                        .isEqualTo("paritas: " + home.toRealPath().resolve(PROGRAM)
                                + " is cut off: unpack the distribution of Paritas anew\n");
            }
        }
        Files.write(home.resolve(PROGRAM), whole);
        for (String said : statuses(Map.of("JAVA_HOME", System.getProperty("java.home")))) {
            assertThat(said).as("a whole jar").contains("Could not find or load main class io.paritas.cli.Main");
        }
    }

    /** A jar without a program. */
    private static byte[] jar() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JarOutputStream jar = new JarOutputStream(bytes, new Manifest())) {
            jar.putNextEntry(new ZipEntry("note"));
            jar.write(new byte[100]);
        }
        return bytes.toByteArray();
    }

    /** Checks how commands end that find nothing out, and returns what they say. By 1 some would say that they have found damage. */
    private List<String> statuses(Map<String, String> environment) throws Exception {
        List<String> said = new ArrayList<>();
        for (Map.Entry<String, Integer> expected :
                Map.of("verify", 3, "screen", 3, "encode", 1).entrySet()) {
            ProcessBuilder builder = new ProcessBuilder(
                            "/bin/bash", home.resolve("bin/paritas").toString(), expected.getKey(), "x")
                    .redirectErrorStream(true);
            builder.environment().putAll(environment);
            Process process = builder.start();
            said.add(new String(process.getInputStream().readAllBytes(), UTF_8));
            assertThat(process.waitFor()).as(expected.getKey()).isEqualTo(expected.getValue());
        }
        return said;
    }

    private String paritas(Map<String, String> environment) throws Exception {
        return paritas(environment, "encode", "FILE");
    }

    private String paritas(Map<String, String> environment, String... words) throws Exception {
        List<String> command =
                new ArrayList<>(List.of("/bin/bash", home.resolve("bin/paritas").toString()));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().put("PATH", home.resolve("bin") + ":/usr/bin:/bin");
        builder.environment().putAll(environment);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
