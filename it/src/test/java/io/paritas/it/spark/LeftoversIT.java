/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** No block, thread or process outlives the queries that wanted it, late and failed ones among them. */
@Order(SparkClusters.CODED_ENDS)
@Tag(SparkClusters.SHARED)
class LeftoversIT {
    private static final int ROWS = 200;

    @RegisterExtension
    static final SparkClusters SPARK = new SparkClusters();

    @TempDir
    Path folder;

    @Test
    void nothingIsLeftOfQueriesAndThenOfTheirApplication() throws Exception {
        SparkSession session = SPARK.session(StragglersIT.CODED);
        KnownAnswers known = KnownAnswers.exact(folder, 2, 1);
        for (Fault fault : new Fault[] {Fault.SLEEP, Fault.THROW}) {
            known.check(
                    known.of(KnownAnswers.rows(session, ROWS, 4), Faults.at(1, fault))
                            .collectAsList(),
                    ROWS);
        }
        assertThatThrownBy(() -> known.of(KnownAnswers.rows(session, ROWS, 4))
                        .selectExpr("if(id = 50, raise_error('a fault of the test'), outcome)")
                        .collectAsList())
                .hasStackTraceContaining("a fault of the test");

        Leftovers.awaitNone(session);
        assertThat(SPARK.executors()).hasSize(SparkClusters.WORKERS);

        SPARK.endApplication();
        Leftovers.awaitNone(SPARK.cluster());
    }
}
