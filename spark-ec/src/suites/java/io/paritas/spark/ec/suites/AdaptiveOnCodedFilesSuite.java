/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.suites;

import org.apache.spark.sql.execution.adaptive.AdaptiveQueryExecSuite;
import org.apache.spark.sql.test.TestSparkSession;

/** Spark's {@code AdaptiveQueryExecSuite}, on executors. */
public final class AdaptiveOnCodedFilesSuite extends AdaptiveQueryExecSuite {
    @Override
    public TestSparkSession createSparkSession() {
        return Executors.session(sparkConf());
    }
}
