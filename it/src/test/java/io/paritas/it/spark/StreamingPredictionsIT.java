/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.it.Await;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A stream of files is predicted into files, with a late task in each of its batches. */
@Order(SparkClusters.CODED)
@Tag(SparkClusters.SHARED)
class StreamingPredictionsIT {
    private static final int FILES = 4;
    private static final int ROWS = 60;

    @RegisterExtension
    static final SparkClusters SPARK = new SparkClusters();

    @TempDir
    Path folder;

    @Test
    void writesEachRowOnceThoughTheStreamIsStoppedAndStartedAgain() throws Exception {
        SparkSession session = SPARK.session(StragglersIT.CODED);
        for (int file = 0; file < FILES; file++) {
            session.range((long) file * ROWS, (file + 1L) * ROWS, 1, 1)
                    .write()
                    .mode(SaveMode.Append)
                    .parquet(folder.resolve("in").toString());
        }

        StreamingQuery first = start(session, Trigger.ProcessingTime(0));
        Await.until("the first batch is written", () -> first.recentProgress().length > 0, first::status);
        first.stop();
        StreamingQuery second = start(session, Trigger.AvailableNow());
        second.awaitTermination();

        List<Row> written =
                session.read().parquet(folder.resolve("out").toString()).collectAsList();
        assertThat(KnownAnswers.exact(folder, 2, 1).check(written, FILES * ROWS))
                .hasSizeGreaterThanOrEqualTo(FILES);
        assertThat(second.recentProgress()).isNotEmpty();
        Leftovers.awaitNone(session);
    }

    private StreamingQuery start(SparkSession session, Trigger trigger) throws Exception {
        KnownAnswers known = KnownAnswers.exact(folder, 2, 1);
        return known.of(
                        KnownAnswers.withInput(session.readStream()
                                .schema("id LONG")
                                .option("maxFilesPerTrigger", 1)
                                .parquet(folder.resolve("in").toString())),
                        Faults.at(1, Fault.SLEEP))
                .writeStream()
                .option("checkpointLocation", folder.resolve("checkpoint").toString())
                .trigger(trigger)
                .format("parquet")
                .start(folder.resolve("out").toString());
    }
}
