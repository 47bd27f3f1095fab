/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;

class DeploymentTest {
    private static final String THRESHOLD = "spark.speculation.task.duration.threshold";

    @Test
    void settingsThatCopyInstancesAreRefused() {
        SparkConf conf = new SparkConf(false).set("spark.speculation", "true").set(THRESHOLD, "10s");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> Deployment.requireNoCopies(conf))
                .withMessage("spark.speculation and " + THRESHOLD
                        + " must not both be set, because Spark would start copies of instances, which never"
                        + " end: unset one");
    }

    @Test
    void eitherOfThemAloneIsHarmless() {
        Deployment.requireNoCopies(new SparkConf(false).set("spark.speculation", "true"));
        Deployment.requireNoCopies(new SparkConf(false).set(THRESHOLD, "10s"));
    }
}
