/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.it.LongTest;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A stream is joined with rows that are kept erasure-coded, by one driver and then by another. */
class KeptRowsInStreamsIT {
    private static final int PARTITIONS = 6;
    private static final int ROWS = 100;

    @RegisterExtension
    static final SparkClusters SPARK = CodedClusters.shared();

    @TempDir
    Path folder;

    @LongTest
    @Test
    void goOnFromACheckpointWithANewDriver() throws Exception {
        SparkSession first = SPARK.session(CodedClusters.SETTINGS);
        add(first, 0);
        try (Kept kept = keep(first)) {
            CodedClusters.kill(SPARK, List.of(2, 3));
            run(first, kept);
            kept.checkNothingRecomputed();
        }
        SPARK.endApplication();

        SparkSession second = SPARK.session(CodedClusters.SETTINGS);
        assertThat(second.sparkContext()).isNotSameAs(first.sparkContext());
        add(second, ROWS);
        try (Kept kept = keep(second)) {
            run(second, kept);
        }

        List<Long> joined = second.read().parquet(path("out")).collectAsList().stream()
                .map(row -> row.getLong(0))
                .sorted()
                .toList();
        List<Long> expected = Lineage.NARROW.expected();
        assertThat(joined)
                .isEqualTo(LongStream.range(0, 2L * ROWS)
                        .mapToObj(i -> expected.get((int) i))
                        .toList());
    }

    private Kept keep(SparkSession session) throws Exception {
        Gate open = Gate.in(folder);
        open.open();
        return Kept.of(session, Lineage.NARROW, PARTITIONS, CodedClusters.CODE, open);
    }

    /** A file with some of the kept rows, in their order. */
    private void add(SparkSession session, int from) {
        List<Long> rows = Lineage.NARROW.expected().subList(from, from + ROWS);
        session.createDataset(rows, Encoders.LONG())
                .coalesce(1)
                .write()
                .mode(SaveMode.Append)
                .parquet(path("in"));
    }

    private void run(SparkSession session, Kept kept) throws Exception {
        StreamingQuery query = session.readStream()
                .schema("value LONG")
                .parquet(path("in"))
                .join(kept.rows(), "value")
                .writeStream()
                .option("checkpointLocation", path("checkpoint"))
                .trigger(Trigger.AvailableNow())
                .format("parquet")
                .start(path("out"));
        query.awaitTermination();
    }

    private String path(String name) {
        return folder.resolve(name).toString();
    }
}
