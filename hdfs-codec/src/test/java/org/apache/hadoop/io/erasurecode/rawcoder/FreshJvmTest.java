/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.io.erasurecode.rawcoder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paritas.erasure.kernel.MachineFlags;
import io.paritas.erasure.kernel.machine.MachineCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Hadoop gets in a JVM of its own, by the flags that the JVM was started with. */
class FreshJvmTest {
    /** The Java on which machine code takes arrays as well. */
    private static final int ARRAYS_SINCE = 22;

    private static final String MODULE = "--add-modules=jdk.incubator.vector";

    /** The program that runs there. */
    static final class Main {
        public static void main(String[] arguments) {
            Configuration configuration = new Configuration();
            configuration.set("io.erasurecode.codec.rs.rawcoders", "rs_paritas,rs_java");
            ErasureCoderOptions shape = new ErasureCoderOptions(6, 3);
            RawErasureEncoder encoder = CodecUtil.createRawEncoder(configuration, "rs", shape);
            System.out.println(encoder.getClass().getSimpleName());
            System.out.println("direct buffers: " + encoder.preferDirectBuffer() + ", "
                    + CodecUtil.createRawDecoder(configuration, "rs", shape).preferDirectBuffer());
        }
    }

    /** The program that asks for shapes that codec paritas lacks, for one twice. */
    static final class Shapes {
        public static void main(String[] arguments) {
            for (int k : new int[] {5, 7, 5}) {
                try {
                    CodecUtil.createRawEncoder(new Configuration(), "paritas", new ErasureCoderOptions(k, 4));
                } catch (IllegalArgumentException e) {
                    System.out.println("none of " + k);
                }
            }
        }
    }

    /** The program whose coders fail, each with another text. */
    static final class Failures {
        public static void main(String[] arguments) {
            AtomicInteger failures = new AtomicInteger();
            ParitasCoders coders = new ParitasCoders("odd", parameters -> {
                throw new IllegalStateException("failure " + failures.incrementAndGet());
            });
            for (int i = 0; i < 200; i++) {
                try {
                    coders.encoder(new ErasureCoderOptions(4, 2));
                } catch (IllegalStateException e) {
                    System.out.println(e.getMessage());
                }
            }
        }
    }

    private static String run(String... flags) throws IOException, InterruptedException {
        return run(Map.of(), flags);
    }

    private static String run(Map<String, String> environment, String... flags)
            throws IOException, InterruptedException {
        return run(Main.class, environment, flags);
    }

    private static String run(Class<?> program, Map<String, String> environment, String... flags)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(System.getProperty("java.home") + "/bin/java", "-Dlog4j.configuration=log4j-info.properties"));
        command.addAll(List.of(flags));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return output;
    }

    @Test
    void withTheModuleItRunsVectorsAndSaysSo() throws Exception {
        String said = run(MODULE);
        assertThat(said)
                .contains("ParitasRawEncoder")
                .containsPattern(
                        "INFO +ParitasCoders: rs_paritas\\(6,3\\) on JDK [0-9.+]+.*, kernel vector \\([0-9]+-bit"
                                + " vectors\\)")
                .contains("direct buffers: false, false");
        if (MachineCode.isFastest()) {
            assertThat(said)
                    .contains("WARN  ParitasCoders: the machine kernel would be faster, but " + MachineFlags.refusal());
        } else {
            assertThat(said).doesNotContain("WARN  ParitasCoders");
        }
    }

    @Test
    void withNativeAccessItRunsMachineCodeAndSaysSo() throws Exception {
        assumeTrue(
                MachineCode.isFastest(),
                "skipped: for Linux on amd64 with AVX2 or on aarch64, on Java 17 and from Java 21 on");
        List<String> flags = new ArrayList<>(MachineFlags.all());
        flags.add(MODULE);
        String said = run(flags.toArray(String[]::new));
        assertThat(said)
                .contains("ParitasRawEncoder")
                .contains(
                        Runtime.version().feature() < ARRAYS_SINCE
                                ? "direct buffers: true, true"
                                : "direct buffers: false, false")
                .containsPattern(
                        "INFO +ParitasCoders: rs_paritas\\(6,3\\) on JDK [0-9.+]+.*, kernel machine \\(machine code"
                                + " for AVX")
                .doesNotContain("WARN  ParitasCoders");
    }

    @Test
    void withoutTheModuleItRunsPlainJavaAndSaysWhatToPass() throws Exception {
        assertThat(run())
                .contains("ParitasRawEncoder")
                .contains("kernel plain (plain Java, 64 bits at a time)")
                .contains(
                        "the vector kernel would be faster, but this JVM runs without the module jdk.incubator.vector;"
                                + " pass --add-modules jdk.incubator.vector")
                .contains("WARN  ParitasCoders: the "
                        + (MachineCode.isFastest()
                                ? "machine kernel would be faster, but " + MachineFlags.refusal()
                                : "vector"));
    }

    /** As under cron, in systemd or in a container. */
    @Test
    void aHomeThatTheLocaleCannotSpellCostsTheTunedSchedulesOnly(@TempDir Path folder) throws Exception {
        Path options = Files.writeString(folder.resolve("options"), "-Duser.home=/home/j\u00fcrgen\n");
        assertThat(run(Map.of("LC_ALL", "C"), MODULE, "-Dio.paritas.kernel.warmUp=0", "@" + options))
                .contains("ParitasRawEncoder")
                .doesNotContain("ExceptionInInitializerError");
    }

    @Test
    void withoutC2ItRunsPlainJava() throws Exception {
        assertThat(run(MODULE, "-XX:TieredStopAtLevel=1"))
                .contains("kernel plain")
                .contains("this JVM runs without the C2 compiler");
        assertThat(run(MODULE, "-Xint")).contains("kernel plain").contains("ParitasRawEncoder");
    }

    /** An explicit choice fails; Hadoop then takes the next coder without a word, so we say why. */
    @Test
    void anExplicitKernelThatCannotRunMakesHadoopFallBack() throws Exception {
        assertThat(run("-Dio.paritas.kernel=vector"))
                .contains("RSRawEncoder")
                .doesNotContain("ParitasRawEncoder")
                .contains(
                        "WARN  ParitasCoders: rs_paritas cannot run here, so HDFS takes the next coder of its list, if"
                                + " there is one")
                .contains(
                        "the kernel 'vector' was asked for by io.paritas.kernel, but this JVM runs without the module");
        assertThat(run(MODULE, "-Dio.paritas.kernel=vektor"))
                .contains("RSRawEncoder")
                .contains("io.paritas.kernel must be one of auto, machine, vector, plain, got 'vektor'");
    }

    /** A second user's policy is another mistake, and Hadoop names neither the shape nor the reason. */
    @Test
    void eachShapeThatIsLackingIsLoggedOnce() throws Exception {
        String said = run(Shapes.class, Map.of(), "-Dio.paritas.kernel=plain");
        assertThat(said).containsSubsequence("none of 5", "none of 7", "none of 5");
        assertThat(said.lines().filter(line -> line.contains("WARN  ParitasCoders: paritas_paritas cannot run here")))
                .satisfiesExactly(line -> assertThat(line).contains("(5,4)"), line -> assertThat(line)
                        .contains("(7,4)"));
    }

    @Test
    void failuresWithoutEndAreLoggedAHundredTimes() throws Exception {
        String said = run(Failures.class, Map.of(), "-Dio.paritas.kernel=plain");
        assertThat(said.lines()).contains("failure 200");
        assertThat(said.lines().filter(line -> line.contains("WARN  ParitasCoders: odd cannot run here")))
                .hasSize(100);
    }
}
