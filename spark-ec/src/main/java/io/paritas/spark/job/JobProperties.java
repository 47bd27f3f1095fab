/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.job;

import java.util.List;
import java.util.Properties;
import java.util.function.Supplier;
import org.apache.spark.JobArtifactSet;
import org.apache.spark.JobArtifactState;
import org.apache.spark.SparkContext;
import scala.Option;

/**
 * What a thread's jobs have, for others that outlive these: the local properties, which are the settings of SQL and the pool, and the
 * session whose classes and files tasks load. With them, lost rows are computed again. Without what names the first jobs: whoever
 * cancels these does not mean the others.
 */
public final class JobProperties {
    private static final List<String> NAMES = List.of(
            "spark.jobGroup.id",
            "spark.job.interruptOnCancel",
            "spark.job.tags",
            "spark.job.description",
            "spark.sql.execution.id",
            "spark.sql.execution.root.id");

    private final Properties properties;
    private final Option<JobArtifactState> artifacts;

    private JobProperties(Properties properties, Option<JobArtifactState> artifacts) {
        this.properties = properties;
        this.artifacts = artifacts;
    }

    /** The properties of this thread. */
    public static JobProperties of(SparkContext context) {
        Properties properties = (Properties) context.getLocalProperties().clone();
        NAMES.forEach(properties::remove);
        return new JobProperties(properties, JobArtifactSet.getCurrentJobArtifactState());
    }

    /** Starts jobs with these properties on this thread, which may have others. */
    public <R> R run(SparkContext context, Supplier<R> jobs) {
        Properties before = context.getLocalProperties();
        context.setLocalProperties((Properties) properties.clone());
        try {
            return JobArtifactSet.withActiveJobArtifactState(artifacts.getOrElse(() -> null), jobs::get);
        } finally {
            context.setLocalProperties(before);
        }
    }
}
