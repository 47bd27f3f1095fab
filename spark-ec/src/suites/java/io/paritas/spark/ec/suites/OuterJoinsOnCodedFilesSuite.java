/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.suites;

import org.apache.spark.sql.execution.joins.OuterJoinSuite;
import org.apache.spark.sql.test.TestSparkSession;

/** Spark's {@code OuterJoinSuite}, on executors. */
public final class OuterJoinsOnCodedFilesSuite extends OuterJoinSuite {
    @Override
    public TestSparkSession createSparkSession() {
        return Executors.session(sparkConf());
    }
}
