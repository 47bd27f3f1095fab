/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.Run;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.graph.Networks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said before anything is started. */
class ServeCommandTest {
    @TempDir
    private Path folder;

    private Path model;

    @BeforeEach
    void model() {
        model = folder.resolve("base.onnx");
        Initialisation.PYTORCH
                .apply(Networks.lenet5(List.of(1, 28, 28), 10), 1)
                .toModelFile()
                .write(model);
    }

    private static void refused(Run run, String message) {
        assertThat(run.status()).as(run.err()).isNotZero();
        assertThat(run.err()).contains(message).doesNotContain("starting a Spark cluster");
    }

    @Test
    void aModelThatIsNotThereIsNamed() {
        Path missing = folder.resolve("none.onnx");

        refused(
                Run.paritas("serve", missing),
                "MODEL must be a file or a folder, there is none at " + missing + ": name another one");
    }

    @Test
    void theCodedPolicyNeedsParityModels() {
        refused(
                Run.paritas("serve", model),
                "the policy coded needs parity models, and there is no parity.json or learned.json in " + folder
                        + ": name them with --parity, make them with paritas train parity, or choose another --policy");
    }

    @Test
    void rowsForTheWarmUpThatAreNotThereAreNamed() {
        Path missing = folder.resolve("rows.json");

        refused(
                Run.paritas("serve", model, "--policy", "none", "--warm-up-rows", missing),
                "--warm-up-rows must be a file, there is none at " + missing + ": name another one");
    }

    @Test
    void anUnknownPolicyIsToldTheOthers() {
        refused(Run.paritas("serve", model, "--policy", "fast"), "'fast'");
    }

    @Test
    void aCertificateNeedsItsKey() {
        refused(
                Run.paritas("serve", model, "--policy", "none", "--tls-certificate", model),
                "TLS needs both --tls-certificate and --tls-key: name the other one too");
    }

    @Test
    void helpHasAllOptions() {
        Run run = Run.paritas("serve", "--help");

        assertThat(run.status()).isZero();
        assertThat(run.out())
                .contains(
                        "MODEL",
                        "--name",
                        "--parity",
                        "--policy",
                        "--backup",
                        "--instances",
                        "--host",
                        "--port",
                        "--token-file",
                        "--tls-certificate",
                        "--tls-key",
                        "--conf");
    }

    @Test
    void aFolderOfModelsHasNamesOfItsOwn() throws IOException {
        refused(Run.paritas("serve", folder, "--name", "digits"), "--name and --parity are for one model");
        refused(
                Run.paritas("serve", Files.createDirectory(folder.resolve("none"))),
                "a folder of models must have a folder for each model");
    }
}
