/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ServingApplicationTest {
    private static final String DRIVER = "spark.driver.extraJavaOptions";
    private static final String EXECUTOR = "spark.executor.extraJavaOptions";

    @Test
    void longRunsHaveShortPausesAndTheBetterCompiler() {
        String options = "-XX:+UseG1GC -XX:MaxGCPauseMillis=5 -XX:-UsePerfData";

        assertThat(ServingApplication.withJvm(Map.of("a", "b")))
                .containsOnly(
                        Map.entry("a", "b"),
                        Map.entry(DRIVER, options + " -Dparitas.console=warn"),
                        Map.entry(EXECUTOR, options));
    }

    /** A JVM prints its threads there after SIGQUIT, and stops if nobody reads it. */
    @Test
    void whatItPrintsLaterIsRead() throws Exception {
        Process driver = new ProcessBuilder(
                        "sh",
                        "-c",
                        "echo paritas listens on http://a:1; echo paritas is ready; head -c 300000 /dev/zero; exit 3")
                .start();
        ServingApplication application = new ServingApplication(null, driver);

        List<String> told = new ArrayList<>();
        application.awaitReady(told::add);

        assertThat(driver.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(application.await()).isEqualTo(3);
        assertThat(told).containsExactly("it listens on http://a:1, and waits for its instances ...");
    }

    /** Its log has no reason then. */
    @Test
    void aSignalThatEndsItIsNamed() throws Exception {
        Process driver = new ProcessBuilder("sh", "-c", "kill -KILL $$").start();
        ServingApplication application = new ServingApplication(null, driver);

        assertThatIllegalStateException()
                .isThrownBy(() -> application.awaitReady(line -> {}))
                .withMessage("serving has ended: its process got signal 9");
    }

    @Test
    void givenOptionsStay() {
        assertThat(ServingApplication.withJvm(Map.of(DRIVER, "-XX:+UseZGC")))
                .containsEntry(DRIVER, "-XX:+UseZGC -Dparitas.console=warn");
    }
}
