/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.serving.Policy;
import io.paritas.inference.serving.Role;
import io.paritas.inference.spark.ExactModel;
import io.paritas.inference.spark.SparkSetting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
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
                .set(SparkSetting.SERVING_MODEL.key(), model.write(folder).toString())
                .set(SparkSetting.SERVING_INSTANCES.key(), "3");
    }

    private ServingPlan with(SparkSetting setting, String value) {
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
    void fewerParityModelsCanBeUsed() {
        assertThat(with(SparkSetting.R, "1").instances()).isEqualTo(Map.of(Role.DEPLOYED, 3, Role.parity(0), 2));
        assertThatThrownBy(() -> with(SparkSetting.R, "3"))
                .hasMessage("there are 2 parity models, so that 1 to as many can be used, got r = 3");
    }

    @ParameterizedTest
    @CsvSource({"none,3", "equal,5", "replicated,5", "hedged,5"})
    void otherPoliciesHaveInstancesOfTheModelOnly(String policy, int instances) {
        ServingPlan plan = with(SparkSetting.SERVING_POLICY, policy);

        assertThat(plan.instances()).isEqualTo(Map.of(Role.DEPLOYED, instances));
        assertThat(plan.served().policy()).isNotInstanceOf(Policy.Coded.class);
    }

    @Test
    void aBackupNeedsItsModel() {
        assertThatThrownBy(() -> with(SparkSetting.SERVING_POLICY, "backup"))
                .hasMessage("the policy backup needs a cheaper model: name it with spark.paritas.serving.backup");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SERVING_POLICY | fast"
                        + "| a policy of serving must be one of [coded, none, equal, replicated, hedged, backup], got 'fast'",
                "SERVING_INSTANCES | 0" + "| spark.paritas.serving.instances must be a whole number from 1 on, got '0'",
                "SERVING_DEADLINE | soon"
                        + "| spark.paritas.serving.deadline must be a whole number from 1 on, got 'soon'",
                "SERVING_NAME | a/b"
                        + "| the name of a served model must be 1 to 64 letters, digits, dots, underscores and hyphens, got 'a/b'",
                "SERVING_MODEL | '' | serving needs a model: name it with spark.paritas.serving.model",
                "TASK_GPUS | many | spark.paritas.taskGpus must be a number, got 'many'",
            })
    void wrongSettingsAreNamed(SparkSetting setting, String value, String message) {
        assertThatThrownBy(() -> with(setting, value)).hasMessage(message);
    }
}
