/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.suites;

import org.apache.spark.sql.DataFrameAggregateSuite;
import org.apache.spark.sql.test.TestSparkSession;

/** Spark's {@code DataFrameAggregateSuite}, on executors. */
public final class AggregatesOnCodedFilesSuite extends DataFrameAggregateSuite {
    @Override
    public TestSparkSession createSparkSession() {
        return Executors.session(sparkConf());
    }
}
