/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ec.ErasureCoded;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Kryo writes what Spark broadcasts, keeps and gets from tasks. */
@Order(SparkClusters.KRYO)
@Tag(SparkClusters.SHARED)
class KryoIT {
    @RegisterExtension
    static final SparkClusters SPARK = new SparkClusters();

    @TempDir
    Path folder;

    private SparkSession session;

    @BeforeEach
    void start() throws Exception {
        Map<String, String> settings = new HashMap<>(StragglersIT.CODED);
        settings.put("spark.serializer", "org.apache.spark.serializer.KryoSerializer");
        settings.put("spark.kryo.registrationRequired", "true");
        session = SPARK.session(settings);
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        Leftovers.awaitNone(session);
    }

    @Test
    void rowsArePredictedAndReconstructed() {
        KnownAnswers known = KnownAnswers.exact(folder, 2, 1);
        known.check(
                known.of(KnownAnswers.rows(session, 200, 4), Faults.at(1, Fault.KILL))
                        .collectAsList(),
                200);
    }

    @Test
    void rowsAreKept() {
        Dataset<Long> kept = ErasureCoded.persist(session.range(0, 100, 1, 4), "rs-2-1");
        assertThat(kept.selectExpr("sum(id)").first().getLong(0)).isEqualTo(4_950);
        ErasureCoded.unpersist(kept);
    }
}
