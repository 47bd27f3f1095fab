/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecommendationSettingsTest {
    @Test
    void whatIsNotSetIsAsUsual() {
        assertThat(RecommendationSettings.parse(List.of("servers=5", "kill=true")))
                .isEqualTo(new RecommendationSettings(100_000, 100_000, 16, 5, 2, 1, 128, 1, true, 0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"servers", "server=5", "servers=-1", "kill=1", "samples=many", "="})
    void othersAreRefused(String setting) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RecommendationSettings.parse(List.of(setting)))
                .withMessage("settings are [NAME=VALUE]..., of which by default samples=100000 rows=100000 dimension=16"
                        + " servers=3 k=2 workers=1 batch=128 seed=1 kill=false baseline=0, got " + setting);
    }
}
