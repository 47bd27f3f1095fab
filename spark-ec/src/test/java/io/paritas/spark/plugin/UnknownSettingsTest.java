/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.settings.SettingGroup;
import io.paritas.settings.Values;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class UnknownSettingsTest {
    private static final SettingGroup GROUP = new SettingGroup("spark.paritas.coded.");

    static {
        GROUP.option("minAccuracy", Values.decimalBetween(0, 1), "0", "What reconstructions must reach.");
        GROUP.option("deadline", Values.duration(), "0s", "When all is given up.");
    }

    @Test
    void namesThatAreNoSettingsAreFound() {
        assertThat(Stream.of(
                                "spark.paritas.coded.deadline",
                                "spark.paritas.coded.deedline",
                                "spark.paritas.codded.deadline",
                                "spark.partias.coded.deadline",
                                "spark.paritas.serving.deadline",
                                "spark.plugins",
                                "spark.sql.shuffle.partitions")
                        .filter(name -> UnknownSettings.isUnknown(name, List.of(GROUP))))
                .containsExactly(
                        "spark.paritas.coded.deedline",
                        "spark.paritas.codded.deadline",
                        "spark.partias.coded.deadline");
    }

    @Test
    void theNearestNameIsTold() {
        assertThat(UnknownSettings.sentence("spark.paritas.coded.minAcurracy", List.of(GROUP)))
                .isEqualTo("there is no setting spark.paritas.coded.minAcurracy, and it has no effect:"
                        + " did you mean spark.paritas.coded.minAccuracy?");
        assertThat(UnknownSettings.sentence("spark.paritas.coded.DEADLINE", List.of(GROUP)))
                .endsWith("did you mean spark.paritas.coded.deadline?");
    }
}
