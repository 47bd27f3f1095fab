/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import java.util.List;
import java.util.Properties;
import org.apache.spark.SparkContext;

/**
 * The local properties of the jobs that kept rows, for jobs that repair them in another thread: the settings of SQL, with which
 * lost rows are computed again, and the pool. Without what names the first jobs: whoever cancels these does not mean repair.
 */
final class JobProperties {
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
    static JobProperties of(SparkContext context) {
        Properties properties = (Properties) context.getLocalProperties().clone();
        NAMES.forEach(properties::remove);
        return new JobProperties(properties);
    }

    /** Makes these the properties of this thread, which may have inherited others. */
    void use(SparkContext context) {
        context.setLocalProperties((Properties) properties.clone());
    }
}
