/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.CheckedModel;
import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelException;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.serving.Policy;
import io.paritas.inference.serving.Role;
import io.paritas.inference.spark.ExactModel;
import io.paritas.inference.spark.settings.CodedSettings;
import java.io.IOException;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which rows instances predict before they take queries, and which are refused before any starts. */
class WarmUpTest {
    private static final String THREE_ROWS =
            "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[3,2],\"data\":[1,2,3,4,5,6]}]}";

    @TempDir
    private Path folder;

    private SparkConf conf;

    @BeforeEach
    void model() throws IOException {
        ExactModel model = ExactModel.of(2, 2, 1);
        model.parity(2, 1, Map.of()).write(folder);
        conf = new SparkConf(false)
                .set(ServingSettings.MODEL.key(), model.write(folder).toString())
                .set(CodedSettings.PARITY.key(), folder.toString())
                .set(ServingSettings.BATCH.key(), "2");
    }

    private Path rows(String text) throws IOException {
        Path file = folder.resolve("rows.json");
        Files.writeString(file, text);
        conf.set(ServingSettings.WARM_UP.key(), file.toString());
        return file;
    }

    /** What a model that answers zeros is asked, batch by batch. */
    private static List<List<Float>> asked(ServingPlan plan, Role role) {
        return asked(plan, role, Device.CPU);
    }

    private static List<List<Float>> asked(ServingPlan plan, Role role, Device device) {
        List<List<Float>> batches = new ArrayList<>();
        TensorSpec spec = plan.served().input();
        Model model = new CheckedModel("test", spec, plan.served().output(), device) {
            @Override
            protected void compute(int rows, FloatBuffer inputs, FloatBuffer outputs) {
                List<Float> values = new ArrayList<>();
                for (int i = 0; i < rows * spec.size(); i++) {
                    values.add(inputs.get(inputs.position() + i));
                }
                batches.add(values);
            }

            @Override
            protected void free() {}
        };
        plan.warmUp().run(model, role, plan.served());
        return batches;
    }

    @Test
    void rowsArePredictedAloneAndInBatchesAndParityModelsGetWhatIsEncodedOfThem() throws IOException {
        rows(THREE_ROWS);
        ServingPlan plan = ServingPlan.of(conf);

        assertThat(plan.warmUp().rows()).isEqualTo(3);
        assertThat(asked(plan, Role.DEPLOYED))
                .containsExactly(
                        List.of(1f, 2f), List.of(3f, 4f), List.of(5f, 6f), List.of(1f, 2f, 3f, 4f), List.of(5f, 6f));
        Policy.Coded coded = (Policy.Coded) plan.served().policy();
        assertThat(coded.code().k()).isEqualTo(2);
        assertThat(asked(plan, Role.parity(0))).hasSize(3).startsWith(List.of(4f, 6f)); // the sum of the first two
    }

    @Test
    void theFileBesideTheModelIsTakenIfNoneIsNamed() throws IOException {
        assertThat(ServingPlan.of(conf).warmUp()).isSameAs(WarmUp.ZEROS);
        assertThat(asked(ServingPlan.of(conf), Role.DEPLOYED)).containsExactly(List.of(0f, 0f));

        Files.writeString(folder.resolve("warmup.json"), THREE_ROWS);

        assertThat(ServingPlan.of(conf).warmUp().rows()).isEqualTo(3);
    }

    /** Memory for the largest is there then, and each size has its kernels and its graph. */
    @ParameterizedTest
    @CsvSource({"8, 8 8 4 4 2 2 1 1", "6, 6 6 4 4 2 2 1 1", "1, 1 1"})
    void onGpusZerosComeInBatchesOfAllSizes(String batch, String rows) {
        conf.set(ServingSettings.BATCH.key(), batch);
        ServingPlan plan = ServingPlan.of(conf);

        assertThat(asked(plan, Role.DEPLOYED, Device.CUDA))
                .extracting(values -> String.valueOf(values.size() / 2))
                .containsExactly(rows.split(" "));
        assertThat(asked(plan, Role.parity(0), Device.CUDA)).hasSize(rows.split(" ").length);
        assertThat(asked(plan, Role.DEPLOYED)).containsExactly(List.of(0f, 0f));
    }

    /** They do not wait for an instance. */
    @Test
    void aFileMayHaveMoreRowsThanQueriesMayWait() throws IOException {
        rows(THREE_ROWS);
        conf.set(ServingSettings.WAITING.key(), "2");

        assertThat(ServingPlan.of(conf).warmUp().rows()).isEqualTo(3);
    }

    @Test
    void badRowsAreAnErrorBeforeAnythingStarts() throws IOException {
        Path file = rows("[1,2]");
        assertThatThrownBy(() -> ServingPlan.of(conf))
                .isInstanceOf(ModelException.class)
                .hasMessage(
                        "the rows in " + file + " must be the JSON of a request for predictions by model, version 1:"
                                + " the body must be a JSON object, got [1,2]");
        rows(THREE_ROWS.replace("[3,2]", "[2,3]"));
        assertThatThrownBy(() -> ServingPlan.of(conf))
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith("the rows in " + file)
                .hasMessageContaining("shape");
        conf.set(ServingSettings.WARM_UP.key(), folder.resolve("none.json").toString());
        assertThatThrownBy(() -> ServingPlan.of(conf))
                .isInstanceOf(ModelException.class)
                .hasMessage(
                        "there must be a file with rows at " + folder.resolve("none.json") + ", no such file is there");
    }
}
