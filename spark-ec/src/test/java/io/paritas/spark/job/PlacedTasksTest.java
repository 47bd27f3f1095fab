/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.job;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;

class PlacedTasksTest {
    private static final String THRESHOLD = "spark.speculation.task.duration.threshold";

    @Test
    void settingsThatCopyTasksAreRefused() {
        SparkConf conf = new SparkConf(false).set("spark.speculation", "true").set(THRESHOLD, "10s");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> PlacedTasks.requireNoCopies(conf))
                .withMessage("spark.speculation and " + THRESHOLD
                        + " must not both be set, because Spark would start copies of tasks that never end:"
                        + " unset one");
    }

    @Test
    void eitherOfThemAloneIsHarmless() {
        PlacedTasks.requireNoCopies(new SparkConf(false).set("spark.speculation", "true"));
        PlacedTasks.requireNoCopies(new SparkConf(false).set(THRESHOLD, "10s"));
    }
}
