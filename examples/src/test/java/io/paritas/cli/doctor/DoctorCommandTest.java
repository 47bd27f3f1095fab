/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.ParitasProcess;
import io.paritas.cli.Run;
import io.paritas.cli.bench.Speed;
import io.paritas.cli.jvm.KernelJava;
import io.paritas.erasure.ErasureCode;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DoctorCommandTest {
    @TempDir
    Path folder;

    @BeforeEach
    void aHadoopIsInstalled() {
        System.setProperty("paritas.doctor.hadoop", "/opt/hadoop/bin/hadoop");
        System.setProperty("paritas.doctor.measuredMillis", "1");
    }

    @AfterEach
    void forget() {
        List.of("hadoop", "measuredMillis", "ownJar", "oldJava")
                .forEach(name -> System.clearProperty("paritas.doctor." + name));
    }

    private Run doctor(String coders) throws IOException {
        write(folder, "io.erasurecode.codec.rs.rawcoders", coders);
        return Run.paritas("doctor", "--conf", folder);
    }

    private static void write(Path folder, String... properties) throws IOException {
        StringBuilder text = new StringBuilder("<configuration>\n");
        for (int i = 0; i < properties.length; i += 2) {
            text.append("<property><name>%s</name><value>%s</value></property>%n"
                    .formatted(properties[i], properties[i + 1]));
        }
        Files.writeString(folder.resolve("core-site.xml"), text + "</configuration>\n");
    }

    /** Hadoop prints a stack trace of its own. */
    @ParameterizedTest
    @ValueSource(strings = {"", "<configuration><property><name>io.", "<configuration></property>"})
    void aFileThatHadoopCannotReadIsNamedInOneLine(String content) throws Exception {
        Files.writeString(folder.resolve("core-site.xml"), content);
        ParitasProcess run = ParitasProcess.withoutGpu("doctor", "--conf", folder);
        assertThat(run.output())
                .contains("Hadoop cannot read " + folder.resolve("core-site.xml") + ": ")
                .doesNotContain("error parsing conf", "\tat ");
        assertThat(run.status()).isEqualTo(1);
    }

    @Test
    void aFolderInThePlaceOfAFileIsNamedInOneLine() throws Exception {
        Files.createDirectory(folder.resolve("core-site.xml"));
        ParitasProcess run = ParitasProcess.withoutGpu("doctor", "--conf", folder);
        assertThat(run.output())
                .contains("Hadoop cannot read " + folder.resolve("core-site.xml") + ": ")
                .doesNotContain("error parsing conf", "\tat ");
    }

    @Test
    void aRightConfigurationPasses() throws IOException {
        System.clearProperty("paritas.doctor.measuredMillis");
        Files.writeString(
                folder.resolve("hadoop-env.sh"),
                "export HADOOP_OPTS=\"$HADOOP_OPTS --add-modules jdk.incubator.vector\"\n");
        Run run = doctor("rs_paritas,rs_java");
        assertThat(run.out())
                .contains("ok    the Hadoop of /opt/hadoop/bin/hadoop")
                .contains("ok    io.erasurecode.codec.rs.rawcoders = rs_paritas,rs_java")
                .contains("ok    --add-modules jdk.incubator.vector in ")
                .contains("ok    Hadoop creates ParitasRawEncoder for codec rs")
                .contains("ok    self-check (10,4): the bytes of rs_java, encoded and decoded")
                .containsPattern("ok    encodes RS\\(6,3\\) at [0-9.]+ GB/s on one thread, [0-9]+ times rs_java"
                        + "|warn  the speed was not measured")
                .contains("HDFS uses our coder here.");
        assertThat(run.status()).isZero();
    }

    @Test
    void aTypingErrorIsFound() throws IOException {
        Run run = doctor("rs_paritsa,rs_java");
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out())
                .contains(
                        "FAIL  io.erasurecode.codec.rs.rawcoders names 'rs_paritsa', which no jar on this class path has")
                .contains("rs_paritas is not the first coder, so it is not used")
                .contains("FAIL  Hadoop creates RSRawEncoder for codec rs, not our coder")
                .contains("thing(s) to mend.");
    }

    @Test
    void hadoopsDefaultIsFound() throws IOException {
        Run run = doctor("rs_native,rs_java");
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out())
                .contains("-> set it to rs_paritas,rs_native,rs_java in core-site.xml of every client and DataNode")
                .contains(
                        "warn  no JVM flag for vectors in hadoop-env.sh",
                        "-> export HADOOP_OPTS=\"$HADOOP_OPTS --add-modules jdk.incubator.vector",
                        " --enable-native-access=ALL-UNNAMED\" in " + folder.resolve("hadoop-env.sh"));
    }

    @Test
    void theFlagsForMachineCodeAreMissedWhereJavaCanRunIt() throws IOException {
        write(folder, "io.erasurecode.codec.rs.rawcoders", "rs_paritas,rs_java");
        Path file = folder.resolve("hadoop-env.sh");
        Files.writeString(file, "export HADOOP_OPTS=\"--add-modules jdk.incubator.vector\"\n");
        Set<String> vector = Set.of("jdk.incubator.vector");
        Set<String> both = Set.of("jdk.incubator.vector", "jdk.incubator.foreign");
        assertThat(check(21, vector))
                .contains(Finding.warning(
                        "no --enable-native-access in hadoop-env.sh: Hadoop runs on Java 21, where machine code would be"
                                + " the fastest kernel (Linux on x86-64 or AArch64)",
                        "export HADOOP_OPTS=\"$HADOOP_OPTS --add-modules jdk.incubator.vector"
                                + " --enable-native-access=ALL-UNNAMED\" in " + file));
        assertThat(check(17, both))
                .contains(Finding.warning(
                        "no jdk.incubator.foreign in hadoop-env.sh: Hadoop runs on Java 17, where machine code would be"
                                + " the fastest kernel (Linux on x86-64 or AArch64)",
                        "export HADOOP_OPTS=\"$HADOOP_OPTS --add-modules jdk.incubator.vector,jdk.incubator.foreign"
                                + " --enable-native-access=ALL-UNNAMED\" in " + file));
        assertThat(check(17, vector)).noneMatch(finding -> finding.text().contains("machine code"));
        assertThat(check(20, vector)).noneMatch(finding -> finding.text().contains("machine code"));
        Files.writeString(
                file, "HADOOP_OPTS=\"--add-modules jdk.incubator.vector --enable-native-access=ALL-UNNAMED\"\n");
        assertThat(check(21, vector)).noneMatch(finding -> finding.text().contains("machine code"));
        assertThat(check(17, both)).anyMatch(finding -> finding.text().contains("no jdk.incubator.foreign"));
    }

    private List<Finding> check(int version, Set<String> modules) {
        return new HadoopConfiguration(folder, new KernelJava(version, modules)).check();
    }

    @Test
    void aJavaWithoutVectorsMustNotGetTheirFlag() throws IOException {
        write(folder, "io.erasurecode.codec.rs.rawcoders", "rs_paritas,rs_java");
        Path file = folder.resolve("hadoop-env.sh");
        KernelJava trimmed = new KernelJava(22, Set.of());
        assertThat(new HadoopConfiguration(folder, trimmed).check())
                .contains(Finding.warning(
                        "this Java has no jdk.incubator.vector: daemons and clients run without vectors",
                        "take a Java with all modules, or leave it so"));
        Files.writeString(file, "export HADOOP_OPTS=\"--add-modules jdk.incubator.vector\"\n");
        assertThat(new HadoopConfiguration(folder, trimmed).check())
                .contains(Finding.failure(
                        "this Java has no jdk.incubator.vector and does not start with --add-modules in " + file,
                        "leave the flag out"));
    }

    @Test
    void aSpeedBelowThatOfHadoopIsNone() {
        assertThat(DoctorCommand.speed(new Speed(0.3, 0.5)))
                .hasToString("warn  the speed was not measured: the compiler had no time (0.30 GB/s on one thread,"
                        + " rs_java 0.50 GB/s)" + System.lineSeparator()
                        + "      -> ask again when the machine is idle");
        assertThat(DoctorCommand.speed(new Speed(19.7, 0.5)))
                .hasToString("ok    encodes RS(6,3) at 19.7 GB/s on one thread, 39 times rs_java (0.50 GB/s)");
    }

    @Test
    void aFolderWithoutConfigurationIsFound() {
        Run run = Run.paritas("doctor", "--conf", folder);
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out())
                .contains("FAIL  no core-site.xml in " + folder)
                .contains("name the folder with --conf")
                .endsWith("1 thing(s) to mend." + System.lineSeparator());
    }

    @Test
    void theFolderIsThatOfTheEnvironment() throws IOException {
        Path unpacked = Files.createDirectories(folder.resolve("hadoop/etc/hadoop"));
        Map<String, String> home =
                Map.of("HADOOP_HOME", folder.resolve("hadoop").toString());

        assertThat(HadoopConfiguration.folder(home)).isEqualTo(unpacked);
        assertThat(HadoopConfiguration.folder(Map.of("HADOOP_HOME", folder.toString(), "HADOOP_CONF_DIR", "/c")))
                .isEqualTo(Path.of("/c"));
        assertThat(HadoopConfiguration.folder(Map.of())).isEqualTo(Path.of("/etc/hadoop/conf"));
    }

    /** Java takes our own jar, at the end of the class path, where Hadoop's cannot be read, and says nothing. */
    @Test
    void aHadoopWithoutOurJarIsFound() throws IOException {
        Path classes = Path.of(URI.create(ErasureCode.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toString()));
        System.setProperty("paritas.doctor.ownJar", classes.toString());
        Run run = doctor("rs_paritas,rs_java");
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out())
                .contains("FAIL  our coder is not on Hadoop's class path, or its jar there cannot be read")
                .contains("-> copy paritas-hdfs-codec-*.jar to share/hadoop/common/lib of every client and DataNode");
        System.setProperty("paritas.doctor.ownJar", "/opt/paritas/hdfs/paritas-hdfs-codec.jar");
        assertThat(doctor("rs_paritas,rs_java").out())
                .contains("ok    our coder is on the class path: " + classes)
                .contains("HDFS uses our coder here.");
    }

    @Test
    void aHadoopOnAnOldJavaIsFound() throws IOException {
        System.setProperty("paritas.doctor.oldJava", "11 in /usr/lib/jvm/java-11");
        Run run = doctor("rs_paritas,rs_java");
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out())
                .contains(
                        "FAIL  Hadoop runs on Java 11 in /usr/lib/jvm/java-11, where our jar breaks all erasure coding")
                .contains("-> set JAVA_HOME in hadoop-env.sh to a newer one, or remove the jar")
                .contains("1 thing(s) to mend.");
    }

    @Test
    void withoutAHadoopOnlyTheConfigurationIsSaidToBeRight() throws IOException {
        System.clearProperty("paritas.doctor.hadoop");
        Run run = doctor("rs_paritas,rs_java");
        assertThat(run.status()).isZero();
        assertThat(run.out())
                .contains("warn  no installed Hadoop is examined: there is no command hadoop in the PATH")
                .contains("The configuration is right. No installed Hadoop was examined.")
                .doesNotContain("HDFS uses our coder here.");
    }

    /** Hadoop takes them for a part of the name. */
    @Test
    void blanksInTheListAreFound() throws IOException {
        Run run = doctor("rs_paritas, rs_java");
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out())
                .contains("FAIL  io.erasurecode.codec.rs.rawcoders names ' rs_java' with a blank")
                .contains("-> write rs_paritas,rs_java")
                .contains("1 thing(s) to mend.");
        run = doctor("\n    rs_paritas,rs_java\n");
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out())
                .contains("names '     rs_paritas' with a blank")
                .contains("FAIL  Hadoop creates no coder for codec rs");
    }

    /** Its command puts the folder that it was started with on the class path, which may be another one. */
    @Test
    void theFilesOfAnotherFolderDoNotCount() throws Exception {
        Path other = Files.createDirectory(folder.resolve("other"));
        write(other, "io.erasurecode.codec.rs.rawcoders", "rs_paritas,rs_java");
        write(folder);
        ParitasProcess run = ParitasProcess.behind(other, "doctor", "--conf", folder);
        assertThat(run.output()).contains("FAIL  io.erasurecode.codec.rs.rawcoders = rs_native,rs_java");
        assertThat(run.status()).isEqualTo(1);
    }

    /** A copy of an update leaves the former jar, because their names have versions. */
    @Test
    void twoOfOurJarsAreFound() throws Exception {
        String name = "io/paritas/erasure/ErasureCode.class";
        Path other = Files.createDirectory(folder.resolve("other"));
        Files.createDirectories(other.resolve(name).getParent());
        try (InputStream code = ErasureCode.class.getResourceAsStream("/" + name)) {
            Files.copy(code, other.resolve(name));
        }
        ParitasProcess run = ParitasProcess.behind(other, "doctor", "--conf", folder);
        assertThat(run.output())
                .contains("warn  several of our jars are on Hadoop's class path, and nothing says which one is used: ["
                        + other + ", ");
    }

    @Test
    void aBrokenJarOfOthersIsFound() throws Exception {
        Path other = Files.createDirectory(folder.resolve("other"));
        Path services = Files.createDirectories(other.resolve("META-INF/services"));
        Files.writeString(
                services.resolve("org.apache.hadoop.io.erasurecode.rawcoder.RawErasureCoderFactory"),
                "org.example.Gone\n");
        ParitasProcess run = ParitasProcess.behind(other, "doctor", "--conf", folder);
        assertThat(run.output())
                .contains("FAIL  Hadoop cannot load the coders on its class path, so all erasure coding fails: ")
                .contains("org.example.Gone")
                .doesNotContain("Exception in thread");
        assertThat(run.status()).isEqualTo(1);
    }

    /** Not the one that computes while that is warmed up. */
    @Test
    void theKernelThatIsNamedComputesTheCheckedBytes() throws IOException {
        System.clearProperty("io.paritas.kernel.warmUp");
        doctor("rs_paritas,rs_java");
        assertThat(System.getProperty("io.paritas.kernel.warmUp")).isEqualTo("0");
    }

    @Test
    void theClusterBehindAMountTableIsNotAsked() throws IOException {
        write(folder, "io.erasurecode.codec.rs.rawcoders", "rs_paritas,rs_java", "fs.defaultFS", "viewfs://c");
        Run run = Run.paritas("doctor", "--conf", folder);
        assertThat(run.out()).contains("warn  no NameNode was asked for its policies: fs.defaultFS is viewfs://c");
        assertThat(run.status()).isZero();
    }

    @Test
    void aTypingErrorInTheOnlyCoderIsFound() throws IOException {
        Run run = doctor("rs_paritsa");
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out())
                .contains(
                        "FAIL  io.erasurecode.codec.rs.rawcoders names 'rs_paritsa', which no jar on this class path has")
                .contains(
                        "FAIL  Hadoop creates no coder for codec rs, so files with an RS policy can be neither read nor"
                                + " written: Fail to create raw erasure encoder with given codec: rs")
                .contains("3 thing(s) to mend.");
    }

    @Test
    void aCommentInAnOldEncodingIsRead() throws IOException {
        Files.writeString(
                folder.resolve("hadoop-env.sh"),
                "# f\u00fcr alle Knoten\nexport HADOOP_OPTS=\"--add-modules jdk.incubator.vector\"\n",
                StandardCharsets.ISO_8859_1);
        Run run = doctor("rs_paritas,rs_java");
        assertThat(run.out()).contains("ok    --add-modules jdk.incubator.vector in " + folder);
        assertThat(run.status()).isZero();
    }

    @Test
    void aFileThatHadoopCannotReadIsFound() throws IOException {
        Files.writeString(folder.resolve("hdfs-site.xml"), "<configuration><property>\n");
        Run run = doctor("rs_paritas,rs_java");
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out())
                .contains("FAIL  Hadoop cannot read " + folder.resolve("hdfs-site.xml") + ": ")
                .contains("was expecting a close tag for element <property>")
                .contains("-> mend the file: no program of Hadoop starts with it")
                .contains("1 thing(s) to mend.");
    }
}
