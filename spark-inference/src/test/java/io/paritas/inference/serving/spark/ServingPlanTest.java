/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.Protection;
import io.paritas.inference.parity.InputRange;
import io.paritas.inference.protect.Planner;
import io.paritas.inference.protect.ProtectionPlan;
import io.paritas.inference.serving.Code;
import io.paritas.inference.serving.ModelFolder;
import io.paritas.inference.serving.Policy;
import io.paritas.inference.serving.Role;
import io.paritas.inference.spark.ExactModel;
import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.inference.spark.settings.EngineSettings;
import io.paritas.settings.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServingPlanTest {
    @TempDir
    private Path folder;

    private SparkConf conf;

    @BeforeEach
    void models() {
        ExactModel model = ExactModel.of(3, 2, 1);
        model.parity(2, 2, Map.of()).write(folder);
        conf = new SparkConf(false)
                .set(ServingSettings.MODEL.key(), model.write(folder).toString())
                .set(ServingSettings.INSTANCES.key(), "3");
    }

    private ServingPlan with(Setting<?> setting, String value) {
        return ServingPlan.of(conf.clone().set(setting.key(), value));
    }

    @Test
    void theDefaultIsCodedWithAllParityModelsBesideTheModel() {
        ServingPlan plan = ServingPlan.of(conf);

        assertThat(plan.served().policy().label()).isEqualTo("coded, k = 2, r = 2");
        assertThat(plan.instances()).isEqualTo(Map.of(Role.DEPLOYED, 3, Role.parity(0), 2, Role.parity(1), 2));
        assertThat(plan.files()).containsOnlyKeys(Role.DEPLOYED, Role.parity(0), Role.parity(1));
        assertThat(plan.slots()).isEqualTo(7);
        assertThat(plan.served().limits().deadline()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void aReconstructionWaitsForThePrediction() {
        assertThat(ServingPlan.of(conf).served().policy()).isInstanceOfSatisfying(Policy.Coded.class, coded -> {
            assertThat(coded.patience()).isEqualTo(2);
            assertThat(coded.groupWait()).isEqualTo(Duration.ofMillis(2));
        });
    }

    @Test
    void theRangeOfCodedQueriesIsThatOfTheTraining() throws IOException {
        assertThat(range()).isEqualTo(InputRange.FINITE);

        Path descriptor = folder.resolve("parity.json");
        Files.writeString(
                descriptor,
                Files.readString(descriptor)
                        .replaceFirst(
                                "(\"encoder\" : \"addition\")",
                                "$1, \"lowestInput\" : \"-0.5\", \"highestInput\" : \"1.5\""));
        assertThat(range()).isEqualTo(new InputRange(-0.5f, 1.5f));
    }

    /** By default it would be served without, as other models of the folder that have none. */
    @Test
    void aModelThatSaysItIsCodedMustHaveParityModels() throws IOException {
        Path model = Files.createDirectories(folder.resolve("models/faces"));
        ExactModel.of(3, 2, 6).write(model);
        SparkConf models = new SparkConf(false)
                .set(ServingSettings.MODELS.key(), model.getParent().toString());
        assertThat(ServingPlan.all(models))
                .singleElement()
                .satisfies(plan -> assertThat(plan.served().policy()).isInstanceOf(Policy.Uncoded.class));

        Files.writeString(model.resolve("serving.properties"), "policy=coded\n");

        assertThatThrownBy(() -> ServingPlan.all(models))
                .isInstanceOf(ModelException.class)
                .hasMessage(
                        "the policy coded must have parity models, there is no parity.json or learned.json in " + model
                                + ": make them with bin/paritas train parity, name their folder with a load's parameter 'parity',"
                                + " or set another policy in the model's serving.properties");
    }

    @Test
    void aWrongSettingOfAModelIsToldWithItsFile() {
        ModelFolder.Entry entry = new ModelFolder.Entry(
                "digits", Optional.empty(), folder.resolve("model.onnx"), Map.of("instances", "two"));
        assertThatThrownBy(() -> FolderSettings.of(conf, entry))
                .isInstanceOf(ModelException.class)
                .hasMessage("a setting in serving.properties of the model digits is wrong:"
                        + " spark.paritas.serving.instances must be a whole number of at least 1, got 'two'");
    }

    @Test
    void allValuesAreCheckedBeforeAClusterStarts() {
        for (String wrong : List.of("drain=10", "port=70000", "traceShare=2", "k=0", "hedgePercentile=100")) {
            int equals = wrong.indexOf('=');
            String key = "spark.paritas.serving." + wrong.substring(0, equals);
            assertThatThrownBy(() -> new ServingConf(conf.clone().set(key, wrong.substring(equals + 1))).checkAll())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith(key + " must be ");
        }
    }

    private InputRange range() {
        return ((Policy.Coded) ServingPlan.of(conf).served().policy()).code().range();
    }

    /** The deployed model answers parity queries; instances are not sent the networks that only front ends need. */
    @Test
    void aLearnedCodeServesAsParityModelsDo() throws IOException {
        Path images = Files.createDirectory(folder.resolve("images"));
        ExactModel model = ExactModel.of(3, 2, 1);
        model.forImages().write(images.resolve("model.onnx"));
        model.learned(3, 0).write(images);

        ServingPlan plan =
                with(ServingSettings.MODEL, images.resolve("model.onnx").toString());

        assertThat(plan.served().policy().label()).isEqualTo("coded, k = 3, r = 1");
        assertThat(plan.instances()).isEqualTo(Map.of(Role.DEPLOYED, 3, Role.parity(0), 1));
        assertThat(plan.files().get(Role.parity(0)).sha256())
                .isEqualTo(model.forImages().sha256());
        assertThat(((Policy.Coded) plan.served().policy()).code().networks()).containsOnlyKeys("encoder", "decoder");
        Code sent = ((Policy.Coded) plan.served().forInstances().policy()).code();
        assertThat(sent.networks()).isEmpty();
        assertThatThrownBy(sent::encoder)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("a front end needs the network 'encoder', got []");
        assertThat(new WarmUp(new float[][] {{1, 2, 3}})
                        .inputs(Role.parity(0), plan.served().forInstances().policy()))
                .containsExactly(new float[] {1, 2, 3});
    }

    /** The plan of guided protection names the deployed model. */
    @Test
    void allModelsAreProtectedAndThePlanIsTheDeployedOnes() throws IOException {
        assertThat(ServingPlan.of(conf).loading(Role.DEPLOYED).protection()).isEqualTo(Protection.OFF);
        ServingPlan global = with(EngineSettings.PROTECT, "global");
        assertThat(global.files().keySet())
                .allSatisfy(role ->
                        assertThat(global.loading(role).protection()).isEqualTo(Protection.of(Protection.Mode.GLOBAL)));

        ModelFile model = ModelFile.read(folder.resolve("model.onnx"));
        Path file = folder.resolve("plan.json");
        ProtectionPlan measured = Planner.plan(model, 1, Duration.ofMillis(1));
        Files.writeString(file, measured.json());
        conf.set(EngineSettings.PROTECT.key(), "guided");
        ServingPlan guided = with(EngineSettings.PROTECT_PLAN, file.toString());
        assertThat(guided.loading(Role.DEPLOYED).protection())
                .isEqualTo(new Protection(Protection.Mode.GUIDED, measured.json()));
        assertThat(guided.loading(Role.parity(0)).protection()).isEqualTo(Protection.of(Protection.Mode.GUIDED));
        assertThatThrownBy(() -> with(EngineSettings.PROTECT_PLAN, "/no"))
                .hasMessageStartingWith("cannot read the plan /no");
    }

    /** Although no GPU is here to load it. */
    @Test
    void aPlanForAGpuMustBeTheModels() throws IOException {
        ModelFile other = ExactModel.of(3, 3, 1).file();
        Path file = folder.resolve("plan.json");
        Files.writeString(file, Planner.plan(other, 1, Duration.ofMillis(1)).json());
        conf.set(EngineSettings.DEVICE.key(), "cuda").set(EngineSettings.PROTECT.key(), "guided");
        assertThatThrownBy(() -> with(EngineSettings.PROTECT_PLAN, file.toString()))
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith("a protection plan must be for its model: the plan is for " + other.sha256());
    }

    @Test
    void fewerParityModelsCanBeUsed() {
        assertThat(with(CodedSettings.R, "1").instances()).isEqualTo(Map.of(Role.DEPLOYED, 3, Role.parity(0), 2));
        assertThatThrownBy(() -> with(CodedSettings.R, "3"))
                .hasMessage("r must be 1 to the 2 parity models that there are, got 3");
    }

    @ParameterizedTest
    @CsvSource({"none,3", "equal,5", "replicated,5", "hedged,5"})
    void otherPoliciesHaveInstancesOfTheModelOnly(String policy, int instances) {
        ServingPlan plan = with(ServingSettings.POLICY, policy);

        assertThat(plan.instances()).isEqualTo(Map.of(Role.DEPLOYED, instances));
        assertThat(plan.served().policy()).isNotInstanceOf(Policy.Coded.class);
    }

    @Test
    void aBackupNeedsItsModel() {
        assertThatThrownBy(() -> with(ServingSettings.POLICY, "backup"))
                .hasMessage("the policy backup needs a cheaper model: name it with spark.paritas.serving.backup");
    }

    @ParameterizedTest
    @CsvSource({"3,3", "4,2"})
    void aBackupTakesAndAnswersWhatTheDeployedModelDoes(int inputs, int outputs) throws IOException {
        conf.set(ServingSettings.POLICY.key(), "backup");
        Path wrong = ExactModel.of(inputs, outputs, 1).write(Files.createDirectory(folder.resolve("wrong")));
        assertThatThrownBy(() -> with(ServingSettings.BACKUP, wrong.toString()))
                .isInstanceOf(ModelException.class)
                .hasMessage("the backup model must take rows of [3] and answer 2 values, as the deployed model does; "
                        + wrong
                        + " takes rows of [" + inputs + "] and answers " + outputs
                        + ": name another one with spark.paritas.serving.backup");

        Path right = ExactModel.of(3, 2, 2).write(Files.createDirectory(folder.resolve("right")));
        assertThat(with(ServingSettings.BACKUP, right.toString()).files()).containsOnlyKeys(Role.DEPLOYED, Role.BACKUP);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "spark.paritas.serving.policy | fast | spark.paritas.serving.policy must be one of coded, none, equal,"
                        + " replicated, hedged, backup, auto, got 'fast'",
                "spark.paritas.serving.instances | 0"
                        + "| spark.paritas.serving.instances must be a whole number of at least 1, got '0'",
                "spark.paritas.serving.deadline | soon | spark.paritas.serving.deadline must be a duration above zero"
                        + " with a unit from us to d, such as 200ms, 5s or 1min, got 'soon'",
                "spark.paritas.serving.deadline | 1ns | spark.paritas.serving.deadline must be a duration above zero"
                        + " with a unit from us to d, such as 200ms, 5s or 1min, got '1ns'",
                "spark.paritas.serving.name | a/b| the name of a served model must be 1 to 64 letters, digits, dots,"
                        + " underscores and hyphens, got 'a/b'",
                "spark.paritas.serving.model | '' | serving needs a model: name it with spark.paritas.serving.model",
                "spark.paritas.engine.taskGpus | many | spark.paritas.engine.taskGpus (option taskGpus) must be a"
                        + " whole number of at least 0, or a share of one such as 0.5, got 'many'",
            })
    void wrongSettingsAreNamed(String key, String value, String message) {
        assertThatThrownBy(() -> ServingPlan.of(conf.clone().set(key, value))).hasMessage(message);
    }
}
