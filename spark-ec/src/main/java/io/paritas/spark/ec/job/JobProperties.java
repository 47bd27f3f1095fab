/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.job;

import java.util.List;
import java.util.Properties;
import org.apache.spark.SparkContext;

/**
 * The local properties of a thread's jobs, for others that outlive these: the settings of SQL, with which lost rows are computed
 * again, and the pool. Without what names the first jobs: whoever cancels these does not mean the others.
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

    private JobProperties(Properties properties) {
        this.properties = properties;
    }

    /** The properties of this thread. */
    public static JobProperties of(SparkContext context) {
        Properties properties = (Properties) context.getLocalProperties().clone();
        NAMES.forEach(properties::remove);
        return new JobProperties(properties);
    }

    /** Makes these the properties of this thread, which may have inherited others. */
    public void use(SparkContext context) {
        context.setLocalProperties((Properties) properties.clone());
    }
}
