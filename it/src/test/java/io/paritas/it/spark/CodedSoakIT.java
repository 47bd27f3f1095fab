/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paritas.cli.spark.ExecutorProcess;
import io.paritas.it.Seeded;
import io.paritas.it.spark.SoakQuery.Trouble;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.storage.BlockId;
import org.assertj.core.util.Throwables;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import scala.collection.Seq;

/**
 * Random queries, one after the other in one application, in all kinds of trouble: their rows are those of uncoded Spark, and they
 * leave nothing behind.
 *
 * <p>{@code -Dio.paritas.test.queries=2000} asks so many instead of 15; with the seed that was printed, {@code
 * -Dio.paritas.test.query=17} asks that one alone.
 */
@Order(SparkClusters.CODED)
@Tag(SparkClusters.SHARED)
class CodedSoakIT {
    private static final int QUERIES = Integer.getInteger("io.paritas.test.queries", 15);
    private static final int ONLY = Integer.getInteger("io.paritas.test.query", -1);
    private static final int BETWEEN_CHECKS = 15;
    private static final long LIMIT_SECONDS = 90;
    private static final long THAW_MILLIS = 1_500;
    private static final DataType PREDICTION = DataTypes.createArrayType(DataTypes.FloatType, false);

    @RegisterExtension
    static final SparkClusters SPARK = new SparkClusters();

    @TempDir
    Path folder;

    private final Map<String, List<String>> expected = new HashMap<>();
    private SparkSession plain;

    @BeforeEach
    void start() throws Exception {
        assumeTrue(QUERIES > 0 || ONLY >= 0, "skipped: -Dio.paritas.test.queries=N asks N random queries");
        plain = SPARK.session(StragglersIT.CODED);
        plain.udf().register("known", (UDF1<Seq<Float>, float[]>) CodedSoakIT::known, PREDICTION);
        plain.conf().set("spark.sql.shuffle.partitions", 2);
        tables(plain);
        sales(plain, 3).createOrReplaceTempView("sales");
        sales(plain, 3).write().parquet(files());
    }

    @AfterEach
    void allExecutorsAreThere() throws Exception {
        if (plain != null) {
            SPARK.session(StragglersIT.CODED);
        }
    }

    private static float[] known(Seq<Float> input) {
        float[] values = new float[input.length()];
        for (int i = 0; i < values.length; i++) {
            values[i] = input.apply(i);
        }
        return KnownAnswers.predict(values);
    }

    private String files() {
        return folder.resolve("sales").toString();
    }

    private static Dataset<Row> sales(SparkSession session, int partitions) {
        return session.range(0, 240, 1, partitions)
                .selectExpr(
                        "id",
                        "id * 7 % 40 AS item",
                        "id % 6 AS store",
                        "id * 5 % 30 AS day",
                        "id % 9 AS quantity",
                        KnownAnswers.INPUT);
    }

    /** The dimensions. */
    private static void tables(SparkSession session) {
        session.range(0, 40, 1, 2)
                .selectExpr("id AS i", "id % 5 AS category", "array(float(id % 7), float(id % 2), float(id % 3)) AS y")
                .createOrReplaceTempView("items");
        session.range(0, 6, 1, 1).selectExpr("id AS s", "id % 3 AS region").createOrReplaceTempView("stores");
        session.range(0, 30, 1, 1).selectExpr("id AS d", "id % 4 AS month").createOrReplaceTempView("days");
    }

    @Test
    void answersAsUncodedSparkWhateverHappens() throws Exception {
        int hits = 0;
        for (int number : numbers()) {
            SoakQuery query = SoakQuery.of(Seeded.random("query " + number));
            System.out.println("query " + number + ": " + query);
            Path marks = Files.createDirectory(folder.resolve("marks-" + number));
            try {
                ask(query, Seeded.random("moment " + number), marks);
            } catch (Exception | AssertionError e) {
                throw new AssertionError("query " + number + ": " + query, e);
            }
            try (Stream<Path> hit = Files.list(marks)) {
                hits += (int) hit.count();
            }
            if (number % BETWEEN_CHECKS == BETWEEN_CHECKS - 1) {
                nothingIsLeft();
            }
        }
        nothingIsLeft();
        System.out.println(hits + " tasks were hit");
        assertThat(hits).as("tasks that were hit").isGreaterThanOrEqualTo(ONLY < 0 ? QUERIES / 4 : 0);
    }

    private static int[] numbers() {
        return ONLY < 0 ? IntStream.range(0, QUERIES).toArray() : new int[] {ONLY};
    }

    private void nothingIsLeft() throws Exception {
        Leftovers.awaitNone(SPARK.session(StragglersIT.CODED));
    }

    private void ask(SoakQuery query, Random moment, Path marks) throws Exception {
        List<String> all = expected.computeIfAbsent(query.known(), text -> texts(plain.sql(text)));
        SparkSession session = plain.newSession();
        query.settings().forEach(session.conf()::set);
        session.udf().register("struck", new StruckPredictions(new Faults(query.faults(), 0).once(marks)), PREDICTION);
        tables(session);
        Dataset<Row> sales = sales(query, session);
        sales.createOrReplaceTempView("sales");
        String group = marks.getFileName().toString();
        CompletableFuture<List<String>> answers = CompletableFuture.supplyAsync(() -> {
            session.sparkContext().setJobGroup(group, query.text(), true);
            return texts(session.sql(query.coded(KnownAnswers.exact(folder, query.k(), query.r()))));
        });
        bother(query, session, moment, group, answers);
        SPARK.executors().forEach(ExecutorProcess::thaw);
        check(query, answers, all);
        sales.unpersist(true);
    }

    private Dataset<Row> sales(SoakQuery query, SparkSession session) {
        return switch (query.sales()) {
            case RANGE -> sales(session, query.partitions());
            case FILES -> session.read().parquet(files());
            case CACHED -> sales(session, query.partitions()).cache();
            case SHUFFLED -> sales(session, 2).repartition(query.partitions());
        };
    }

    /** What the driver does to a query while it runs. */
    private void bother(
            SoakQuery query, SparkSession session, Random moment, String group, CompletableFuture<List<String>> answers)
            throws Exception {
        if (query.trouble() == Trouble.CANCELLED) {
            TimeUnit.MILLISECONDS.sleep(moment.nextInt(400));
            session.sparkContext().cancelJobGroup(group);
        }
        long next = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(THAW_MILLIS);
        while (!answers.isDone() && (query.freezes() || query.trouble() == Trouble.LOST_BLOCKS)) {
            TimeUnit.MILLISECONDS.sleep(1 + moment.nextInt(20));
            if (query.trouble() == Trouble.LOST_BLOCKS) {
                Leftovers.blocks().stream()
                        .filter(block -> moment.nextInt(3) == 0)
                        .forEach(block -> SparkEnv.get().blockManager().master().removeBlock(BlockId.apply(block)));
            }
            if (System.nanoTime() > next) {
                SPARK.executors().forEach(ExecutorProcess::thaw);
                next += TimeUnit.MILLISECONDS.toNanos(THAW_MILLIS);
            }
        }
    }

    private static void check(SoakQuery query, CompletableFuture<List<String>> answers, List<String> all)
            throws InterruptedException, TimeoutException, ExecutionException {
        List<String> rows;
        try {
            rows = answers.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (query.trouble() == Trouble.CANCELLED
                    && Throwables.getStackTrace(e).contains("cancelled")) {
                return;
            }
            throw e;
        }
        if (query.limit() < 0) {
            assertThat(rows).isEqualTo(all);
        } else {
            assertThat(rows).hasSize(query.limit()).doesNotHaveDuplicates().isSubsetOf(all);
        }
    }

    private static List<String> texts(Dataset<Row> query) {
        return query.collectAsList().stream().map(Row::toString).sorted().toList();
    }
}
