/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.Run;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.graph.Networks;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
    void aModelThatSaysItIsCodedNeedsParityModels() throws IOException {
        Path faces = Files.createDirectories(folder.resolve("models/faces"));
        Files.copy(model, faces.resolve("base.onnx"));
        Files.writeString(faces.resolve("serving.properties"), "policy=coded\n");

        refused(
                Run.paritas("serve", faces.getParent()),
                "the model faces has the policy coded in its serving.properties, and there is no parity.json or"
                        + " learned.json in " + faces + ": put it there, or take that setting away");
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
    void numbersThatNoClusterHasAreRefused() {
        wrong("--instances must be 1 to 250, got 0", "--instances", "0");
        wrong("--instances must be 1 to 250, got 2000000000", "--instances", "2000000000");
        wrong("--spares must be 0 to 250, got -1", "--spares", "-1");
        wrong("--port must be 0 to 65535, got -1", "--port", "-1");
        wrong("--port must be 0 to 65535, got 65536", "--port", "65536");
        wrong("--grpc-port must be 0 to 65535, got -1", "--grpc-port", "-1");
        wrong(
                "the instances of all models and their spares must be 1 to 250, got 251: ask for fewer --instances or"
                        + " --spares",
                "--instances",
                "200",
                "--spares",
                "51");
    }

    @Test
    void anAddressForOthersNeedsAToken() {
        wrong(
                "--host must be a loopback address where there is no token, got 0.0.0.0: name a --token-file",
                "--host",
                "0.0.0.0");
    }

    @Test
    void filesThatAreNotThereAreNamed() {
        Path missing = folder.resolve("none");
        for (String option : List.of("--token-file", "--warm-up-rows")) {
            wrong(option + " must be a file, there is none at " + missing + ": name another one", option, missing);
        }
        wrong(
                "--tls-key must be a file, there is none at " + folder + ": name another one",
                "--tls-certificate",
                model,
                "--tls-key",
                folder);
    }

    @Test
    void aFileWithoutATokenIsNamed() throws IOException {
        Path token = Files.writeString(folder.resolve("token"), "two words\n");
        wrong(
                "--token-file cannot be used: a token must be one line of ASCII characters without spaces, which it is not"
                        + " in " + token + ": write one into it, as by (umask 077; openssl rand -hex 32 > '" + token
                        + "')",
                "--token-file",
                token);
    }

    @Test
    void aTakenPortIsRefused() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
            int number = taken.getLocalPort();
            String message = " must be a free port of --host, got " + number + " of 127.0.0.1 (";
            wrong("--port" + message, "--port", number);
            wrong("--grpc-port" + message, "--port", 0, "--grpc-port", number);
        }
        wrong(
                "--port and --grpc-port must differ, got 7000 for both: choose another one, or 0 for any",
                "--port",
                7000,
                "--grpc-port",
                7000);
    }

    @Test
    void aHostThatIsNotHereIsNotBlamedOnThePort() throws IOException {
        Path token = Files.writeString(folder.resolve("token"), "s3cret\n");
        wrong(
                "--host must be an address or a name of this machine, got nowhere.invalid, which is unknown",
                "--host",
                "nowhere.invalid");
        wrong(
                "--host must be an address of this machine, got 203.0.113.1 (",
                "--host",
                "203.0.113.1",
                "--token-file",
                token);
    }

    @Test
    void aBackupAndItsPolicyGoTogether() {
        wrong(
                "--backup is for --policy backup, got --policy none: choose that, or leave --backup out",
                "--backup",
                model);
        Run run = Run.paritas("serve", model, "--policy", "backup");
        refused(run, "--policy backup needs a cheaper model: name it with --backup");
        assertThat(run.status()).isEqualTo(2);
        refused(
                Run.paritas("serve", model, "--policy", "backup", "--backup", folder.resolve("none")),
                "--backup must be a file, there is none at " + folder.resolve("none"));
    }

    /** It would start other instances than there are executors for. */
    @Test
    void whatAnOptionSetsIsNoProperty() {
        wrong(
                "spark.paritas.serving.instances is --instances here, got --conf spark.paritas.serving.instances=6:"
                        + " use --instances",
                "--conf",
                "spark.paritas.serving.instances=6");
        wrong(
                "spark.paritas.coded.parity is --parity here, got --conf spark.paritas.coded.parity=/p: use --parity",
                "--conf",
                "spark.paritas.coded.parity=/p");
        wrong(
                "spark.paritas.engine.taskCpus must be at most 1 here, where each executor has one core, got 2: leave it out",
                "--conf",
                "spark.paritas.engine.taskCpus=2");
    }

    @Test
    void memoryIsASize() {
        wrong(
                "spark.driver.memory must be a size such as 2g or 800m, got 'much'",
                "--conf",
                "spark.driver.memory=much");
        wrong(
                "spark.executor.memory must be a size such as 2g or 800m, got '1.5g'",
                "--conf",
                "spark.executor.memory=1.5g");
    }

    private void wrong(String message, Object... options) {
        Object[] all = Stream.concat(Stream.of("serve", model, "--policy", "none"), Stream.of(options))
                .toArray();
        Run run = Run.paritas(all);
        refused(run, message);
        assertThat(run.status()).isEqualTo(2);
    }

    /** As by kill, or where memory ends. Statuses above 2 have no meaning here. */
    @ParameterizedTest
    @ValueSource(strings = {"TERM", "KILL"})
    void aDriverThatIsEndedByOthersIsAFailure(String signal) throws Exception {
        StringWriter err = new StringWriter();

        assertThat(await("kill -" + signal + " $$", false, err)).isEqualTo(1);

        assertThat(err.toString()).matches("paritas: serving has ended: its process got signal (15|9)\\R");
    }

    @Test
    void aDriverThatEndsWithThisProgramIsNone() throws Exception {
        StringWriter err = new StringWriter();

        assertThat(await("kill -TERM $$", true, err)).isZero();
        assertThat(await("exit 0", false, err)).isZero();

        assertThat(err).hasToString("");
    }

    private static int await(String driver, boolean ending, StringWriter err) throws Exception {
        Process process = new ProcessBuilder("sh", "-c", driver).start();
        return ServeCommand.await(new ServingApplication(null, process), () -> ending, new PrintWriter(err));
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
