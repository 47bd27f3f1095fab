/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.cli.daemon.ServingLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DaemonTest {
    @TempDir
    private Path logs;

    private Path log;

    @BeforeEach
    void nameLog() {
        log = logs.resolve("namenode.log");
    }

    private Daemon start(String... options) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString());
        builder.command().addAll(ServingLine.JVM_OPTIONS);
        builder.command().addAll(List.of(options));
        builder.command().add("-version");
        builder.environment().keySet().removeAll(Set.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
        return Daemon.start("namenode", builder, log);
    }

    /** As with a collector in JDK_JAVA_OPTIONS. Such a JVM has no log. */
    @Test
    void whatAJvmSaysThatCannotStartIsTold() throws IOException {
        Daemon daemon = start("-XX:+UseSerialGC", "-XX:+UseParallelGC");
        assertThatThrownBy(() -> daemon.awaitServing(Duration.ofMinutes(1)))
                .isInstanceOf(CheckFailed.class)
                .hasMessage("the namenode ended while it started: Multiple garbage collectors selected; see "
                        + logs.resolve("namenode.err"));
    }

    @Test
    void theExceptionThatEndedItIsToldAndItsLogNamed() throws IOException {
        Files.createFile(log);
        Daemon daemon = start("--add-modules=not.there");
        assertThatThrownBy(() -> daemon.awaitServing(Duration.ofMinutes(1)))
                .isInstanceOf(CheckFailed.class)
                .hasMessage("the namenode ended while it started: java.lang.module.FindException: Module not.there not"
                        + " found; see " + log);
    }

    @Test
    void whoEndsInSilenceHasNotSaidWhy() throws IOException {
        Daemon daemon = start();
        assertThatThrownBy(() -> daemon.awaitServing(Duration.ofMinutes(1)))
                .isInstanceOf(CheckFailed.class)
                .hasMessageStartingWith("the namenode ended while it started: it did not say why; see ");
    }
}
