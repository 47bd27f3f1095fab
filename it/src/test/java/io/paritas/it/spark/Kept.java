/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.it.Await;
import io.paritas.spark.ec.ErasureCoded;
import io.paritas.spark.ec.cache.ErasureCodedDatasets;
import io.paritas.spark.ec.store.ErasureCodedRDD;
import io.paritas.spark.ec.store.Health;
import io.paritas.spark.ec.store.UnitMetrics;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.columnar.CachedBatch;
import org.apache.spark.util.LongAccumulator;

/**
 * Rows that are kept erasure-coded, and what tests ask of them.
 *
 * @param computed counts rows that are made by their lineage
 * @param atFirst how many there were when all rows were kept
 */
record Kept(Dataset<Long> rows, Lineage lineage, LongAccumulator computed, long atFirst) implements AutoCloseable {

    static Kept of(SparkSession session, Lineage lineage, int partitions, String code, Gate gate) {
        LongAccumulator computed = session.sparkContext().longAccumulator();
        Dataset<Long> rows = ErasureCoded.persist(lineage.rows(session, partitions, gate, computed), code);
        return new Kept(rows, lineage, computed, computed.value());
    }

    Health health() {
        return ErasureCoded.health(rows);
    }

    UnitMetrics metrics() {
        return rdd().metrics();
    }

    ErasureCodedRDD<CachedBatch> rdd() {
        return ErasureCodedDatasets.store(rows).orElseThrow().rdd();
    }

    /** All rows are there, none too often. */
    void check() {
        check(rows.collectAsList());
    }

    /** These are all rows. */
    void check(List<Long> read) {
        assertThat(Lineage.sorted(read)).isEqualTo(lineage.expected());
    }

    /** How many rows were made again, since all were kept. */
    long recomputed() {
        return computed.value() - atFirst;
    }

    void checkNothingRecomputed() {
        assertThat(recomputed()).as("rows made again").isZero();
        assertThat(metrics().recomputed().value()).as("partitions made again").isZero();
    }

    /** Until each unit is somewhere. */
    void awaitWhole() throws Exception {
        Await.until("no unit is missing", () -> health().missingUnits() == 0, this::health);
    }

    @Override
    public void close() {
        ErasureCoded.unpersist(rows);
    }
}
