/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ec.LocalSpark;
import org.apache.spark.JobArtifactSet;
import org.apache.spark.JobArtifactState;
import org.apache.spark.SparkContext;
import org.junit.jupiter.api.Test;
import scala.Option;

class JobPropertiesTest {
    private static final String POOL = "spark.scheduler.pool";
    private static final JobArtifactState SESSION = new JobArtifactState("a session", Option.empty());

    private final SparkContext context = LocalSpark.session().sparkContext();

    @Test
    void laterJobsHaveThePropertiesAndTheSessionOfTheFirstOnes() {
        context.setLocalProperty(POOL, "first");
        JobProperties properties = JobArtifactSet.withActiveJobArtifactState(SESSION, () -> JobProperties.of(context));
        context.setLocalProperty(POOL, "second");

        assertThat(properties.run(context, () -> context.getLocalProperty(POOL)))
                .isEqualTo("first");
        assertThat(properties.run(context, JobArtifactSet::getCurrentJobArtifactState))
                .isEqualTo(Option.apply(SESSION));

        assertThat(context.getLocalProperty(POOL)).isEqualTo("second");
        assertThat(JobArtifactSet.getCurrentJobArtifactState()).isEqualTo(Option.empty());
        context.setLocalProperty(POOL, null);
    }

    @Test
    void whatNamesTheFirstJobsIsLeftOut() {
        context.setJobGroup("first", "the first jobs", true);
        JobProperties properties = JobProperties.of(context);
        context.clearJobGroup();

        assertThat(properties.run(context, () -> context.getLocalProperty("spark.jobGroup.id")))
                .isNull();
    }
}
