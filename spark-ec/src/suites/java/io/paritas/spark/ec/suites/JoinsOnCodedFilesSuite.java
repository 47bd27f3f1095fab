/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.suites;

import org.apache.spark.sql.JoinSuite;
import org.apache.spark.sql.test.TestSparkSession;

/** Spark's {@code JoinSuite}, on executors. */
public final class JoinsOnCodedFilesSuite extends JoinSuite {
    @Override
    public TestSparkSession createSparkSession() {
        return Executors.session(sparkConf());
    }
}
