/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.kernel.VectorKernelProvider.Jvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class VectorKernelProviderTest extends KernelProviderContract {
    @Override
    protected KernelProvider provider() {
        return new VectorKernelProvider();
    }

    @Test
    void runsWhereModuleCompilerAndVectorsAreThere() {
        assertThat(VectorKernelProvider.refusal(new Jvm(true, true, 128))).isEmpty();
        assertThat(VectorKernelProvider.refusal(new Jvm(true, true, 512))).isEmpty();
    }

    @Test
    void saysWhatIsMissing() {
        assertThat(VectorKernelProvider.refusal(new Jvm(false, true, 0)))
                .contains(
                        "this JVM runs without the module jdk.incubator.vector; pass --add-modules jdk.incubator.vector");
        assertThat(VectorKernelProvider.refusal(new Jvm(true, false, 256)).orElseThrow())
                .startsWith("this JVM runs without the C2 compiler");
        assertThat(VectorKernelProvider.refusal(new Jvm(true, true, 64)))
                .contains("the widest vector of this machine has 64 bits, fewer than 128");
    }

    @Test
    void xorsAloneStayInPlainJavaForLonger() {
        assertThat(VectorKernelProvider.beforeTrial(Program.product(new int[][] {{1, 1, 1}}), 10))
                .isEqualTo(640);
        assertThat(VectorKernelProvider.beforeTrial(Program.product(new int[][] {{1, 2, 1}}), 10))
                .isEqualTo(10);
    }

    /** What a JVM of its own says of the kernel. */
    static final class Main {
        public static void main(String[] arguments) {
            System.out.println(
                    "refusal: " + new VectorKernelProvider().unavailable().orElse("none"));
        }
    }

    @Test
    void runsOnATrimmedJvmThatDoesNotTellItsFlags() throws IOException, InterruptedException {
        assertThat(trimmed()).contains("refusal: none");
        assertThat(trimmed("-Xint")).contains("refusal: this JVM runs without the C2 compiler");
    }

    private static String trimmed(String... flags) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "--limit-modules=java.base,jdk.incubator.vector",
                "--add-modules=jdk.incubator.vector"));
        command.addAll(List.of(flags));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }
}
