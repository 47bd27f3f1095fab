/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static io.paritas.inference.spark.LocalSession.check;
import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.spark.driver.Coordinator;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Micro-batches. */
class StreamingTest {
    @RegisterExtension
    static final LocalSession LOCAL = new LocalSession();

    @TempDir
    private Path folder;

    private void arrive(long from, long to) {
        LOCAL.rows(100)
                .filter("id >= " + from + " AND id < " + to)
                .coalesce(1)
                .write()
                .mode("append")
                .parquet(folder.resolve("arriving").toString());
    }

    private void answerWhatIsThere() throws Exception {
        Dataset<Row> arriving = LOCAL.spark()
                .readStream()
                .schema(LOCAL.rows(1).schema())
                .option("maxFilesPerTrigger", 1)
                .parquet(folder.resolve("arriving").toString());
        arriving.createOrReplaceTempView("arriving");
        StreamingQuery query = LOCAL.sql("SELECT id, $call.prediction AS prediction FROM arriving")
                .writeStream()
                .option("checkpointLocation", folder.resolve("checkpoint").toString())
                .trigger(Trigger.AvailableNow())
                .format("parquet")
                .start(folder.resolve("answered").toString());
        query.awaitTermination();
    }

    private Dataset<Row> answered() {
        return LOCAL.spark()
                .read()
                .parquet(folder.resolve("answered").toString())
                .select("id", "prediction");
    }

    @Test
    void everyRowIsAnsweredOnceAcrossRestartsAndNothingIsLeft() throws Exception {
        arrive(0, 30);
        arrive(30, 60);
        answerWhatIsThere();
        check(answered().collectAsList(), 60);
        answerWhatIsThere();
        arrive(60, 61);
        arrive(61, 100);
        answerWhatIsThere();
        check(answered().collectAsList(), 100);
        nothingIsLeft();
    }

    @Test
    void groupedStreams() throws Exception {
        arrive(0, 100);
        Dataset<Row> arriving = LOCAL.spark()
                .readStream()
                .schema(LOCAL.rows(1).schema())
                .parquet(folder.resolve("arriving").toString());
        arriving.createOrReplaceTempView("arriving");
        LOCAL.sql("SELECT $call.prediction[0] AS p, count(*) AS n FROM arriving GROUP BY 1")
                .writeStream()
                .outputMode("complete")
                .option("checkpointLocation", folder.resolve("counts").toString())
                .trigger(Trigger.AvailableNow())
                .format("memory")
                .queryName("counts")
                .start()
                .awaitTermination();
        List<Float> firsts = LongStream.range(0, 100)
                .mapToObj(id -> LocalSession.expected(id).get(0))
                .distinct()
                .toList();
        assertThat(LOCAL.sql("SELECT p FROM counts").collectAsList())
                .extracting(row -> row.getFloat(0))
                .containsExactlyInAnyOrderElementsOf(firsts);
        assertThat(LOCAL.sql("SELECT sum(n) FROM counts").head().getLong(0)).isEqualTo(100);
    }

    private static void nothingIsLeft() throws Exception {
        SparkContext context = LOCAL.spark().sparkContext();
        context.listenerBus().waitUntilEmpty();
        assertThat(Coordinator.running().orElseThrow().executions()).isZero();
        await(() -> context.getRDDStorageInfo().length == 0);
        assertThat(context.getRDDStorageInfo()).isEmpty();
    }

    /** Blocks are dropped in the background. */
    private static void await(BooleanSupplier done) throws InterruptedException {
        for (int i = 0; i < 500 && !done.getAsBoolean(); i++) {
            Thread.sleep(20);
        }
    }
}
