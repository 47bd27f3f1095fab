/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.spark.ec.cache.ErasureCodedDatasets;
import io.paritas.spark.ec.store.Health;
import io.paritas.spark.job.Stubborn;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.apache.spark.HashPartitioner;
import org.apache.spark.NarrowDependency;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.util.LongAccumulator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import py4j.reflection.MethodInvoker;
import scala.Tuple2;

class ErasureCodedTest {
    @RegisterExtension
    static final PluginSession SESSION = new PluginSession();

    /** Rows that were computed, in the executor that is this JVM. */
    private static final AtomicLong TIMES = new AtomicLong();

    private final List<Dataset<?>> kept = new ArrayList<>();

    @AfterEach
    void nothingIsLeft() throws InterruptedException {
        kept.forEach(ErasureCoded::unpersist);
        PluginSession.awaitNoBlocks();
        SESSION.spark().conf().unset("spark.sql.adaptive.enabled");
    }

    private <T> Dataset<T> persist(Dataset<T> rows, String code) {
        Dataset<T> persisted = ErasureCoded.persist(rows, code);
        kept.add(persisted);
        return persisted;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void keptRowsAreUsedAsAnyOthers(boolean adaptive) {
        SESSION.spark().conf().set("spark.sql.adaptive.enabled", adaptive);
        Dataset<Row> rows = SESSION.spark()
                .range(0, 1000, 1, 10)
                .selectExpr("id", "id % 7 AS seven", "repeat(cast(id AS STRING), 10) AS text");
        Dataset<Row> persisted = persist(rows, "rs-4-2");
        List<UnaryOperator<Dataset<Row>>> uses = List.of(
                all -> all,
                all -> all.select("text"),
                all -> all.filter("id > 990 AND seven < 5").select("id"),
                all -> all.filter("id > 5000"),
                all -> all.groupBy("seven").count(),
                all -> all.limit(2000).union(all),
                all -> all.as("a")
                        .join(all.as("b"), col("a.id").equalTo(col("b.seven")))
                        .select("a.id", "b.text"),
                all -> all.join(all.groupBy("seven").max("id"), "seven"),
                all -> all.filter("id = (SELECT max(id) FROM range(30))"),
                Dataset::distinct,
                all -> all.repartition(3).selectExpr("sum(id)"));
        for (UnaryOperator<Dataset<Row>> use : uses) {
            assertThat(use.apply(persisted).collectAsList())
                    .containsExactlyInAnyOrderElementsOf(use.apply(rows).collectAsList());
        }
    }

    /** Spark's optimizer puts one relation in place of another with the same plan. */
    @Test
    void rowsThatAreKeptTwiceAreThoseOfTheirTimes() {
        Dataset<Row> rows = SESSION.spark()
                .createDataset(
                        JavaSparkContext.fromSparkContext(SESSION.spark().sparkContext())
                                .parallelize(List.of(1L, 2L), 1)
                                .map(number -> number * 10 + (TIMES.incrementAndGet() - 1) / 2)
                                .rdd(),
                        Encoders.LONG())
                .toDF("amount");
        persist(rows, "rs-2-1").createOrReplaceTempView("morning");
        persist(rows, "rs-2-1").createOrReplaceTempView("evening");

        assertThat(SESSION.sql("SELECT (SELECT sum(amount) FROM evening) - (SELECT sum(amount) FROM morning)")
                        .first()
                        .getLong(0))
                .isEqualTo(2);
        assertThat(SESSION.spark()
                        .table("evening")
                        .except(SESSION.spark().table("morning").filter("amount > 15"))
                        .count())
                .isEqualTo(2);
    }

    @Test
    void keepsNestedTypesAndNulls() {
        Dataset<Row> rows =
                SESSION.sql("SELECT id, IF(id % 2 = 0, NULL, named_struct('a', array(id, NULL), 'b', map('k', id))) AS"
                        + " nested, cast(id AS decimal(30, 5)) AS number, cast(cast(id AS string) AS binary) AS bytes,"
                        + " DATE'2020-01-01' + cast(id AS int) AS day FROM range(0, 50, 1, 4)");
        Dataset<Row> persisted = persist(rows, "rs-2-2");
        assertThat(persisted.schema()).isEqualTo(rows.schema());
        assertThat(persisted.drop("bytes").orderBy("id").collectAsList())
                .isEqualTo(rows.drop("bytes").orderBy("id").collectAsList());
        assertThat(persisted.selectExpr("nested.b['k']", "hex(bytes)").collectAsList())
                .containsExactlyInAnyOrderElementsOf(
                        rows.selectExpr("nested.b['k']", "hex(bytes)").collectAsList());
    }

    @ParameterizedTest
    @CsvSource({"1, 10, 1", "3, 10, 2", "100, 1, 1", "100, 3, 1", "100, 9, 3"})
    void keepsAnyNumberOfPartitions(int rows, int partitions, int stripes) {
        Dataset<Long> persisted = persist(longs(rows, partitions), "rs-4-1");
        assertThat(persisted.count()).isEqualTo(rows);
        Health health = ErasureCoded.health(persisted);
        assertThat(health.partitions()).isEqualTo(partitions);
        assertThat(health.missingUnits()).isZero();
        assertThat(health.stripes()).isBetween(Math.min(stripes, 1), Math.max(stripes, 1));
    }

    @Test
    void warnsOfPartitionsThatDoNotFillStripes() {
        Dataset<Row> numbers = SESSION.spark().range(0, 9_000_000, 1, 1).selectExpr("rand(1) AS number");
        try (Logged logged = new Logged("io.paritas.spark.ec.store.ErasureCodedStore")) {
            persist(numbers.limit(1_000_000).coalesce(1), "rs-4-2");
            assertThat(logged.lines()).as("too little to mind").noneMatch(line -> line.contains("times its size"));
            persist(numbers, "rs-4-2");
            assertThat(logged.lines())
                    .anyMatch(line -> line.matches(
                            "WARN rs-4-2 of Dataset at ErasureCodedTest\\.java:\\d+ takes 3\\.00 times its size, not 1\\.50, because its 1"
                                    + " partitions do not fill stripes of 4 with equal ones: repartition it into a multiple of 4"
                                    + " first"));
        }
    }

    /** Python calls Java's methods with Py4J. */
    @Test
    void namesRowsByTheLineOfTheProgramWhateverCallsForIt() throws Exception {
        MethodInvoker python =
                new MethodInvoker(ErasureCoded.class.getMethod("persist", Dataset.class, String.class), null, 0);
        Dataset<?> persisted = (Dataset<?>) python.invoke(null, new Object[] {longs(10, 3), "rs-1-1"});
        assertThat(ErasureCodedDatasets.store(persisted).orElseThrow().rdd().name())
                .matches("rs-1-1 of Dataset at ErasureCodedTest\\.java:\\d+");
        ErasureCoded.unpersist(persisted);
    }

    @Test
    void keepsNoRows() {
        Dataset<Long> persisted = persist(longs(10, 3).filter("id % 20 = 19"), "rs-4-1");
        assertThat(persisted.collectAsList()).isEmpty();
        assertThat(ErasureCoded.health(persisted).partitions()).isEqualTo(3);
    }

    private static Dataset<Long> longs(int rows, int partitions) {
        return SESSION.spark().range(0, rows, 1, partitions).as(org.apache.spark.sql.Encoders.LONG());
    }

    @Test
    void keepsNoPartitions() {
        Dataset<Row> persisted = persist(SESSION.spark().emptyDataFrame(), "rs-4-1");
        assertThat(persisted.count()).isZero();
        assertThat(ErasureCoded.health(persisted)).isEqualTo(new Health(0, 0, 0, 0, 0, 0, 0));
    }

    @Test
    void keepsTheElementsOfAnRdd() {
        JavaRDD<String> elements = context().parallelize(List.of("a", "b", "c", "d"), 6);
        JavaRDD<String> persisted = ErasureCoded.persist(elements, "xor-2");
        assertThat(persisted.collect()).containsExactly("a", "b", "c", "d");
        assertThat(persisted.filter(element -> !element.equals("b")).count()).isEqualTo(3);
        persisted.unpersist();
        assertThat(persisted.collect()).containsExactly("a", "b", "c", "d");
    }

    /** Spark would wait for the driver, where their lineage is hidden: it runs no tasks on a cluster. */
    @Test
    void partitionsWithoutElementsHaveNoPlace() {
        JavaRDD<String> persisted = ErasureCoded.persist(context().parallelize(List.of("a", "b"), 3), "xor-2");
        SparkContext spark = SESSION.spark().sparkContext();
        assertThat(spark.getPreferredLocs(persisted.rdd(), 0).isEmpty()).isTrue();
        assertThat(spark.getPreferredLocs(persisted.rdd(), 1).isEmpty()).isFalse();
        persisted.unpersist();
    }

    @Test
    void aKeptRddHasThePartitionerOfItsElements() {
        HashPartitioner partitioner = new HashPartitioner(4);
        JavaPairRDD<Integer, Integer> pairs = context()
                .parallelize(List.of(1, 2, 3, 4, 5), 3)
                .mapToPair(number -> new Tuple2<>(number, number * number))
                .partitionBy(partitioner);
        JavaRDD<Tuple2<Integer, Integer>> persisted =
                ErasureCoded.persist(JavaRDD.fromRDD(pairs.rdd(), pairs.classTag()), "rs-2-1");
        JavaPairRDD<Integer, Integer> kept = JavaPairRDD.fromJavaRDD(persisted);

        assertThat(persisted.partitioner().orNull()).isEqualTo(partitioner);
        assertThat(kept.reduceByKey(partitioner, Integer::sum)
                        .rdd()
                        .dependencies()
                        .head())
                .as("no shuffle")
                .isInstanceOf(NarrowDependency.class);
        assertThat(kept.join(pairs.mapValues(square -> -square)).collectAsMap())
                .hasSize(5)
                .containsEntry(5, new Tuple2<>(25, -25));
        persisted.unpersist();
    }

    /** Spark would read the units in its own way: they are blocks of this RDD. */
    @Test
    void aKeptRddIsNeitherCachedNorCheckpointedAsWell() {
        JavaRDD<String> persisted = ErasureCoded.persist(context().parallelize(List.of("a", "b", "c"), 3), "rs-2-1");
        assertThatThrownBy(persisted::cache)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessage("an RDD that is kept erasure-coded must not be cached as well, got Memory Deserialized 1x"
                        + " Replicated: cache what is made of it, such as kept.map(element -> element)");
        assertThatThrownBy(() -> persisted.rdd().localCheckpoint())
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("must not be cached as well");
        assertThatThrownBy(() -> persisted.rdd().checkpoint())
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessage(
                        "an RDD that is kept erasure-coded must not be checkpointed as well: checkpoint what is made of"
                                + " it, such as kept.map(element -> element)");
        JavaRDD<String> cached = persisted.map(element -> element).cache();
        assertThat(cached.count()).isEqualTo(3);
        assertThat(cached.collect()).containsExactly("a", "b", "c");
        cached.unpersist();
        assertThat(persisted.collect()).containsExactly("a", "b", "c");
        persisted.unpersist();
    }

    @Test
    void computesOnce() {
        LongAccumulator computed = SESSION.spark().sparkContext().longAccumulator();
        JavaRDD<Integer> elements = context()
                .parallelize(List.of(1, 2, 3, 4, 5), 5)
                .map(element -> {
                    computed.add(1);
                    return element * element;
                });
        JavaRDD<Integer> persisted = ErasureCoded.persist(elements, "rs-4-2");
        assertThat(persisted.collect()).containsExactly(1, 4, 9, 16, 25);
        assertThat(persisted.count()).isEqualTo(5);
        assertThat(computed.value()).isEqualTo(5);
        persisted.unpersist(true);
        assertThat(persisted.reduce(Integer::sum)).isEqualTo(55);
        assertThat(computed.value()).isEqualTo(10);
    }

    @Test
    void unpersistFreesWhatOneKeepsAndNothingElse() {
        Dataset<Long> first = persist(longs(100, 4), "rs-2-1");
        long blocks = PluginSession.storedBlocks();
        Dataset<Long> second = ErasureCoded.persist(longs(100, 4), "rs-2-2");
        assertThat(PluginSession.storedBlocks()).isGreaterThanOrEqualTo(blocks + 4 + 4);
        ErasureCoded.unpersist(second);
        assertThat(PluginSession.storedBlocks()).isEqualTo(blocks);
        assertThat(ErasureCoded.health(second)).isEqualTo(new Health(4, 0, 0, 0, 0, 0, 0));
        assertThat(second.count()).as("computed again").isEqualTo(100);
        assertThat(first.count()).isEqualTo(100);
    }

    @Test
    void elementsMustBeSerialisable() {
        JavaRDD<Object> elements = context().parallelize(List.of(1, 2), 2).map(element -> new Object());
        assertThatThrownBy(() -> ErasureCoded.persist(elements, "rs-2-1"))
                .hasMessageContaining(
                        "classes of rows must be serialisable by spark.serializer, got java.lang.Object: implement"
                                + " java.io.Serializable, or use Kryo");
    }

    @Test
    void aFailedPersistLeavesNothing() {
        Dataset<Row> rows = SESSION.sql("SELECT raise_error('bad row ' || id) FROM range(0, 4, 1, 4) WHERE id > 2");
        assertThatThrownBy(() -> ErasureCoded.persist(rows, "rs-2-1")).hasMessageContaining("bad row 3");
    }

    /** Spark fails a job while others of its tasks are still at work. */
    @Test
    void aFailedPersistOfAnRddLeavesNothing() {
        JavaRDD<Long> elements = Stubborn.elements(context());
        assertThatThrownBy(() -> ErasureCoded.persist(elements, "rs-2-1")).hasMessageContaining("a stubborn test");
        assertThat(Stubborn.hasEnded()).isTrue();
    }

    @Test
    void knowsItsCodes() {
        for (String code : List.of("rs-4", "raid-5", "")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> ErasureCoded.persist(SESSION.spark().range(1), code))
                    .as(code)
                    .withMessageContaining("got '" + code + "'");
        }
    }

    @Test
    void knowsWhatItKeeps() {
        Dataset<Long> rows = SESSION.spark().range(10);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ErasureCoded.unpersist(rows))
                .withMessage(
                        "rows must be a Dataset that ErasureCoded.persist has returned, or a view of one, got Range");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ErasureCoded.health(persist(rows, "xor-2").filter("id > 2")))
                .withMessageContaining("got Filter");
    }

    private static JavaSparkContext context() {
        return new JavaSparkContext(SESSION.spark().sparkContext());
    }
}
