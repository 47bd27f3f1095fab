/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.ModelException;
import io.paritas.inference.serving.Policy;
import io.paritas.inference.serving.Role;
import io.paritas.inference.serving.http.Repository;
import io.paritas.inference.spark.ExactModel;
import io.paritas.inference.spark.settings.CodedSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What may be put in the place of a version, and what is said of the rest; nothing of it needs Spark to run. */
class VersionsTest {
    @TempDir
    private Path folder;

    private SparkConf conf;
    private ServingPlan former;

    @BeforeEach
    void plan() throws IOException {
        conf = new SparkConf(false)
                .set(ServingSettings.MODEL.key(), model("a", 3).toString())
                .set(ServingSettings.NAME.key(), "linear")
                .set(CodedSettings.PARITY.key(), folder.resolve("a").toString());
        former = ServingPlan.of(conf);
    }

    /** A model, and its parity model beside it. */
    private Path model(String name, int features) throws IOException {
        Path parent = Files.createDirectory(folder.resolve(name));
        ExactModel model = ExactModel.of(features, 2, name.hashCode());
        model.parity(2, 1, Map.of()).write(parent);
        return model.write(parent);
    }

    private ServingPlan next(Map<String, String> parameters) {
        return Versions.next(former, parameters);
    }

    @Test
    void theNextVersionHasItsOwnFiles() throws IOException {
        ServingPlan next = next(Map.of("model", model("b", 3).toString()));

        assertThat(next.served().version()).isEqualTo("2");
        assertThat(next.served().name()).isEqualTo("linear");
        assertThat(next.instances()).isEqualTo(former.instances());
        assertThat(next.files()).containsOnlyKeys(Role.DEPLOYED, Role.parity(0));
        assertThat(next.files().get(Role.DEPLOYED)).isNotEqualTo(former.files().get(Role.DEPLOYED));
    }

    @Test
    void theVersionCanBeSaidAndMustBeWhereNoneFollows() throws IOException {
        String model = model("b", 3).toString();
        ServingPlan named = next(Map.of("model", model, "version", "blue"));
        assertThat(named.served().version()).isEqualTo("blue");

        assertThatThrownBy(() -> Versions.next(named, Map.of("model", model)))
                .hasMessage(
                        "a load after the version 'blue' must have the parameter 'version', because it is no number");
        assertThatThrownBy(() -> next(Map.of("model", model, "version", "1")))
                .hasMessage("a new version must differ from the former one, got 1");
    }

    @Test
    void parametersAreChecked() {
        assertThatThrownBy(() -> next(Map.of()))
                .hasMessage("a load must have the parameter 'model', the path of the new model");
        assertThatThrownBy(() -> next(Map.of("path", "/x")))
                .hasMessage("the parameters of a load must be 'model', 'version', 'parity' or 'backup', got 'path'");
        assertThatThrownBy(() -> next(Map.of("model", "b.onnx")))
                .hasMessage("the parameter 'model' must be an absolute path on the driver, got 'b.onnx'");
    }

    @Test
    void aFileThatIsNotThereIsNamed() {
        String missing = folder.resolve("none.onnx").toString();

        assertThatThrownBy(() -> next(Map.of("model", missing)))
                .hasMessage("there must be a model at '" + missing + "', no such file is there on the driver");
        assertThatThrownBy(() -> next(Map.of("model", folder.toString())))
                .hasMessage("a model must be named by its file, got the folder '" + folder
                        + "': name the file in it, such as " + folder.resolve("base.onnx"));
    }

    @Test
    void parityModelsOfAnotherModelAreRefused() throws IOException {
        String model = model("b", 3).toString();
        String parity = folder.resolve("a").toString();

        assertThatThrownBy(() -> next(Map.of("model", model, "parity", parity)))
                .hasMessageStartingWith(
                        "a parity bundle works only with the model that it was made for, with SHA-256 ");
    }

    @Test
    void aModelWithoutParityModelsIsRefused() throws IOException {
        Path alone = Files.createDirectory(folder.resolve("alone"));
        String model = ExactModel.of(3, 2, 5).write(alone).toString();

        assertThatThrownBy(() -> next(Map.of("model", model)))
                .hasMessage(
                        "the policy coded must have parity models, there is no parity.json or learned.json in " + alone
                                + ": make them with bin/paritas train parity, name their folder with"
                                + " spark.paritas.coded.parity, or a load's with its parameter 'parity', or choose another"
                                + " spark.paritas.serving.policy");
    }

    @Test
    void clientsSendWhatTheySent() throws IOException {
        String wider = model("wider", 4).toString();

        assertThatThrownBy(() -> next(Map.of("model", wider)))
                .hasMessageStartingWith("a new version must have the input of the former one, ")
                .hasMessageEndingWith(": serve it under another name");
    }

    @Test
    void aFaultOfTheServerIsNoConflict() {
        Error fault = new NoClassDefFoundError("io/paritas/Missing");
        assertThatThrownBy(() -> Versions.await(CompletableFuture.failedFuture(fault)))
                .isSameAs(fault);
        assertThatThrownBy(() -> Versions.await(CompletableFuture.failedFuture(new IllegalStateException("late"))))
                .isInstanceOf(Repository.ConflictException.class)
                .hasMessage("late");
    }

    private SparkConf models() {
        return new SparkConf(false).set(ServingSettings.MODELS.key(), folder.toString());
    }

    private ServingPlan ofFolder(String name) {
        return ServingPlan.all(models()).stream()
                .filter(plan -> plan.served().name().equals(name))
                .findAny()
                .orElseThrow();
    }

    @Test
    void theNextVersionKeepsTheNameAndTheSettingsOfItsModel() throws IOException {
        Path faces = Files.createDirectory(folder.resolve("faces"));
        ExactModel.of(3, 2, 6).write(faces);
        Files.writeString(faces.resolve("serving.properties"), "policy=hedged\ninstances=3\ndeadline=7s\n");

        ServingPlan next =
                Versions.next(ofFolder("faces"), Map.of("model", model("b", 3).toString()));

        assertThat(next.served()).hasToString("faces, version 2");
        assertThat(next.served().policy()).isInstanceOf(Policy.Hedged.class);
        assertThat(next.instances()).isEqualTo(Map.of(Role.DEPLOYED, 5));
        assertThat(next.served().limits().deadline()).isEqualTo(Duration.ofSeconds(7));
    }

    /** The default policy is coded, and that model had no parity models before. */
    @Test
    void parityModelsProtectANewVersionOfAModelOfTheFolder() throws IOException {
        ExactModel.of(3, 2, 6).write(Files.createDirectory(folder.resolve("faces")));
        ServingPlan faces = ofFolder("faces");
        assertThat(faces.served().policy()).isInstanceOf(Policy.Uncoded.class);
        Path alone = ExactModel.of(3, 2, "b".hashCode()).write(Files.createDirectory(folder.resolve("alone")));
        String parity = model("b", 3).getParent().toString();

        ServingPlan next = Versions.next(faces, Map.of("model", alone.toString(), "parity", parity));
        assertThat(next.files()).containsOnlyKeys(Role.DEPLOYED, Role.parity(0));
        assertThatThrownBy(() -> Versions.next(faces, Map.of("model", alone.toString(), "parity", folder.toString())))
                .hasMessageStartingWith("the policy coded must have parity models, there is no parity.json");
    }

    /** Late and lost answers would not be reconstructed any more, and nobody would know. */
    @Test
    void aProtectedModelOfTheFolderStaysProtected() throws IOException {
        model("faces", 3);
        ServingPlan faces = ofFolder("faces");
        assertThat(faces.served().policy()).isInstanceOf(Policy.Coded.class);
        Path alone = ExactModel.of(3, 2, 5).write(Files.createDirectory(folder.resolve("alone")));

        assertThatThrownBy(() -> Versions.next(faces, Map.of("model", alone.toString())))
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith("the policy coded must have parity models, there is no parity.json or"
                        + " learned.json in " + alone.getParent() + ": ");
    }

    /** A copy in the order of names has the model before its parity models. */
    @Test
    void aVersionThatIsBeingCopiedIsRefused() throws Exception {
        Path models = Files.createDirectory(folder.resolve("models"));
        Files.createDirectory(models.resolve("faces"));
        ExactModel first = ExactModel.of(3, 2, 6);
        Path one = Files.createDirectory(models.resolve("faces/1"));
        first.write(one);
        first.parity(2, 1, Map.of()).write(one);
        SparkConf settings = new SparkConf(false).set(ServingSettings.MODELS.key(), models.toString());
        Versions versions = new Versions(settings, null, ServingPlan.all(settings), Duration.ofSeconds(1));
        Path two = Files.createDirectory(models.resolve("faces/2"));
        ExactModel.of(3, 2, 7).write(two);

        String missing = "the policy coded must have parity models, there is no parity.json or learned.json in " + two;
        assertThatThrownBy(() -> versions.load("faces", Map.of()).get())
                .cause()
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith(missing);
        assertThat(versions.candidates().get()).singleElement().satisfies(faces -> assertThat(faces.trouble())
                .startsWith(missing));
        Files.writeString(models.resolve("faces/serving.properties"), "policy=backup\n");
        assertThatThrownBy(() -> versions.load("faces", Map.of()).get())
                .as("another policy needs no parity models")
                .cause()
                .hasMessage("the policy backup needs a cheaper model: name it with spark.paritas.serving.backup");
    }

    @Test
    void oneMoreModelTakesNoFilesOfTheFirst() throws IOException {
        conf.set(ServingSettings.VERSION.key(), "7")
                .set(ServingSettings.WARM_UP.key(), "/rows/of/the/first.json")
                .set(ServingSettings.INSTANCES.key(), "3");

        ServingPlan other =
                Versions.added(conf, "other", Map.of("model", model("b", 4).toString()));
        assertThat(other.served()).hasToString("other, version 1");
        assertThat(other.files()).containsOnlyKeys(Role.DEPLOYED, Role.parity(0));
        assertThat(other.warmUp().rows()).isZero();
        assertThat(other.instances()).containsEntry(Role.DEPLOYED, 3);

        ServingPlan next = Versions.next(other, Map.of("model", model("c", 4).toString()));
        assertThat(next.served()).hasToString("other, version 2");
        conf.set(ServingSettings.POLICY.key(), "backup").set(ServingSettings.BACKUP.key(), "/first/cheap.onnx");
        assertThatThrownBy(() -> Versions.added(
                        conf, "other", Map.of("model", model("d", 4).toString())))
                .hasMessage("the policy backup needs a cheaper model: name it with spark.paritas.serving.backup");
    }

    private Versions ofFolder() {
        return new Versions(models(), null, List.of(former), Duration.ofSeconds(1));
    }

    @Test
    void aDamagedModelOfTheFolderIsListedWithItsReasonAndTheOthersAre() throws Exception {
        model("good", 3);
        Path empty = Files.createDirectory(folder.resolve("empty"));
        Path garbage = Files.createDirectory(folder.resolve("garbage"));
        Files.writeString(garbage.resolve("model.onnx"), "no model");
        Versions versions = ofFolder();

        assertThatThrownBy(() -> versions.load("garbage", Map.of()).get())
                .cause()
                .isInstanceOf(ModelException.class);
        Map<String, String> troubles = versions.candidates().get().stream()
                .collect(Collectors.toMap(Repository.Candidate::name, Repository.Candidate::trouble));

        assertThat(troubles).containsOnlyKeys("a", "good", "empty", "garbage", "linear");
        assertThat(troubles).containsEntry("good", "").containsEntry("linear", "");
        assertThat(troubles.get("empty")).contains(empty + " has none");
        assertThat(troubles.get("garbage"))
                .contains(garbage.resolve("model.onnx").toString());
    }

    /** Clients may make up any number of names. */
    @Test
    void whyAFileOutsideOfTheFolderWasRefusedIsToldItsClientOnly() throws Exception {
        model("good", 3);
        Versions versions = ofFolder();

        assertThatThrownBy(() ->
                        versions.load("good", Map.of("model", "/missing.onnx")).get())
                .cause()
                .isInstanceOf(ModelException.class)
                .hasMessageContaining("/missing.onnx");

        assertThat(versions.candidates().get()).contains(new Repository.Candidate("good", ""));
    }

    @Test
    void theFolderIsReadByAnotherThreadAndNotForEachQuestion() throws Exception {
        CountDownLatch slowDisk = new CountDownLatch(1);
        AtomicInteger reads = new AtomicInteger();
        Listing listing = new Listing(() -> {
            reads.incrementAndGet();
            try {
                slowDisk.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return new TreeMap<>(Map.of("a", ""));
        });

        var first = listing.now(); // returns before the folder is read
        var second = listing.now();
        slowDisk.countDown();

        assertThat(first.get()).containsOnlyKeys("a");
        assertThat(second.get()).containsOnlyKeys("a");
        assertThat(reads).hasValue(1);
    }

    @Test
    void aFolderThatCannotBeReadHidesNothingThatIsServed() throws Exception {
        SparkConf settings = new SparkConf(false)
                .set(ServingSettings.MODELS.key(), folder.resolve("gone").toString());
        Versions versions = new Versions(settings, null, List.of(former), Duration.ofSeconds(1));

        assertThat(versions.candidates().get()).containsExactly(new Repository.Candidate("linear", ""));
    }
}
