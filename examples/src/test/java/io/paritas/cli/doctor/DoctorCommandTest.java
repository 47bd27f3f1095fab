/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.Run;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DoctorCommandTest {
    @TempDir
    Path folder;

    private Run doctor(String coders) throws IOException {
        Files.writeString(folder.resolve("core-site.xml"), """
                <configuration><property>
                <name>io.erasurecode.codec.rs.rawcoders</name><value>%s</value>
                </property></configuration>
                """.formatted(coders));
        return Run.paritas("doctor", "--conf", folder);
    }

    @Test
    void aRightConfigurationPasses() throws IOException {
        Files.writeString(
                folder.resolve("hadoop-env.sh"),
                "export HADOOP_OPTS=\"$HADOOP_OPTS --add-modules jdk.incubator.vector\"\n");
        Run run = doctor("rs_paritas,rs_java");
        assertThat(run.out())
                .contains("ok    io.erasurecode.codec.rs.rawcoders = rs_paritas,rs_java")
                .contains("ok    --add-modules jdk.incubator.vector in ")
                .contains("ok    Hadoop creates ParitasRawEncoder for codec rs")
                .contains("ok    self-check (10,4): the bytes of rs_java, encoded and decoded")
                .containsPattern("encodes RS\\(6,3\\) at [0-9.]+ GB/s on one thread, [0-9]+ times rs_java")
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
                .contains("-> set it to rs_paritas,rs_java in core-site.xml of every client and DataNode")
                .contains("warn  no JVM flag for vectors in hadoop-env.sh");
    }

    @Test
    void aFolderWithoutConfigurationIsFound() {
        Run run = Run.paritas("doctor", "--conf", folder);
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out()).contains("FAIL  no core-site.xml in " + folder).contains("name the folder with --conf");
    }

    @Test
    void aHadoopWithoutOurJarIsFound() throws IOException {
        System.setProperty("paritas.doctor.hadoopLacksJar", "true");
        try {
            Run run = doctor("rs_paritas,rs_java");
            assertThat(run.status()).isEqualTo(1);
            assertThat(run.out())
                    .contains("FAIL  our coder is not on the class path that 'hadoop classpath' prints")
                    .contains(
                            "-> copy paritas-hdfs-codec-*.jar to share/hadoop/common/lib of every client and DataNode");
        } finally {
            System.clearProperty("paritas.doctor.hadoopLacksJar");
        }
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
