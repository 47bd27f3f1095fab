/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paritas.spark.ec.ErasureCoded;
import io.paritas.spark.ec.PluginSession;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class ParitasCatalogTest {
    @RegisterExtension
    static final PluginSession SESSION = new PluginSession();

    private static final Semaphore COMPUTING = new Semaphore(0);
    private static CountDownLatch meeting;

    @BeforeEach
    void source() {
        SESSION.spark().range(0, 100, 1, 5).selectExpr("id", "id % 3 AS three").createOrReplaceTempView("source");
    }

    @AfterEach
    void nothingIsLeft() throws InterruptedException {
        for (Row view : SESSION.sql("CALL paritas.health()").collectAsList()) {
            SESSION.sql("CALL paritas.unpersist('" + view.getString(0) + "')");
        }
        SESSION.spark().catalog().dropTempView("source");
        PluginSession.awaitNoBlocks();
    }

    @Test
    void keepsAView() {
        Row kept = SESSION.sql("CALL paritas.persist(source => 'source', code => 'rs-4-1', name => 'kept')")
                .first();
        assertThat(kept.<String>getAs("name")).isEqualTo("kept");
        assertThat(kept.<String>getAs("code")).isEqualTo("rs-4-1");
        assertThat(kept.<Integer>getAs("partitions")).isEqualTo(5);
        assertThat(kept.<Integer>getAs("missing_units")).isZero();
        assertThat(kept.<Double>getAs("overhead")).isGreaterThan(1);
        assertThat(PluginSession.storedBlocks()).isGreaterThanOrEqualTo(5 + 2);
        assertThat(KeptViews.of((org.apache.spark.sql.classic.SparkSession) SESSION.spark())
                        .view("kept")
                        .store()
                        .rdd()
                        .name())
                .isEqualTo("rs-4-1 of view kept");
        assertThat(SESSION.sql("SELECT sum(id), count(*) FROM kept WHERE three = 1")
                        .first())
                .isEqualTo(SESSION.sql("SELECT sum(id), count(*) FROM source WHERE three = 1")
                        .first());

        Row freed = SESSION.sql("CALL paritas.unpersist(name => 'kept')").first();
        assertThat(freed.<Long>getAs("freed_bytes"))
                .isEqualTo(kept.<Long>getAs("data_bytes") + kept.<Long>getAs("parity_bytes"));
        assertThat(SESSION.spark().catalog().tableExists("kept")).isFalse();
        assertThat(PluginSession.storedBlocks()).isZero();
    }

    @Test
    void replacesAView() throws InterruptedException {
        SESSION.sql("CALL paritas.persist('source', 'rs-4-1', 'kept')");
        String again =
                "CALL paritas.persist(source => 'SELECT id + 1 AS id FROM kept', code => 'xor-2', name => 'kept',"
                        + " mode => 'overwrite')";
        assertThat(SESSION.sql(again).first().<String>getAs("code")).isEqualTo("xor-2");
        SESSION.sql(again);
        assertThat(SESSION.sql("SELECT min(id), count(*) FROM kept").first()).isEqualTo(RowFactory.create(2L, 100L));
        assertThat(names(SESSION.spark(), "CALL paritas.health()")).containsExactly("kept");

        SESSION.sql("CALL paritas.unpersist('kept')");
        PluginSession.awaitNoBlocks();
        SESSION.sql("CALL paritas.persist('source', 'rs-4-1', 'kept', 'overwrite')");
        assertThat(names(SESSION.spark(), "CALL paritas.health()")).containsExactly("kept");
        refused(
                "persist('source', 'rs-4-1', 'source', 'overwrite')",
                "name must be that of a new view, got source, which this session has: take another name, or DROP VIEW"
                        + " source");
        refused("persist('source', 'rs-4-1', 'kept', 'append')", "mode must be error or overwrite, got 'append'");
    }

    @Test
    void programsKnowTheViewsOfSql() {
        SESSION.sql("CALL paritas.persist('source', 'rs-4-1', 'kept')");
        Dataset<Row> kept = SESSION.spark().table("kept");
        assertThat(ErasureCoded.health(kept).partitions()).isEqualTo(5);
        assertThat(ErasureCoded.metrics(kept).named()).isNotEmpty();
        ErasureCoded.unpersist(kept);
        assertThat(PluginSession.storedBlocks()).isZero();
        SESSION.sql("DROP VIEW kept");
    }

    /** As where a cell renames kept rows: they are those of the first view still. */
    @Test
    void aViewOfAKeptViewIsNone() {
        SESSION.sql("CALL paritas.persist('source', 'rs-4-1', 'kept')");
        SESSION.spark().table("kept").createOrReplaceTempView("mine");
        assertThat(names(SESSION.spark(), "CALL paritas.health()")).containsExactly("kept");
        refused("unpersist('mine')", "name must be a view that paritas.persist has created, got mine: CALL");
        refused("persist('source', 'rs-4-1', 'mine', 'overwrite')", "take another name, or DROP VIEW mine");
        assertThat(PluginSession.storedBlocks()).isGreaterThanOrEqualTo(5 + 2);
        SESSION.sql("DROP VIEW mine");
    }

    @Test
    void aViewThatDoesMoreIsNamedByWhatItDoes() {
        SESSION.sql("CREATE TEMP VIEW large AS SELECT id FROM source WHERE id > 9");
        assertThatThrownBy(() -> ErasureCoded.health(SESSION.spark().table("large")))
                .hasMessage("rows must be a Dataset that ErasureCoded.persist has returned, or a view of one, got"
                        + " Project");
        SESSION.sql("DROP VIEW large");
    }

    /** Spark renames the entry of the catalog, and leaves the view itself as it is. */
    @Test
    void aRenamedViewIsThatOfItsNewName() {
        SESSION.sql("CALL paritas.persist('SELECT id FROM range(10)', 'rs-2-1', 'kept')");
        SESSION.sql("ALTER VIEW kept RENAME TO renamed");
        assertThat(names(SESSION.spark(), "CALL paritas.health(name => 'renamed')"))
                .containsExactly("renamed");
        SESSION.sql("CALL paritas.persist('source', 'rs-2-1', 'kept')");
        assertThat(names(SESSION.spark(), "CALL paritas.health()")).containsExactly("kept", "renamed");

        SESSION.sql("CALL paritas.unpersist('renamed')");
        assertThat(names(SESSION.spark(), "CALL paritas.health()")).containsExactly("kept");
        assertThat(SESSION.spark().catalog().tableExists("renamed")).isFalse();
        assertThat(SESSION.sql("SELECT count(*) FROM kept").first().getLong(0)).isEqualTo(100);
    }

    /** Whichever view it drops, it is that one whose units it frees. */
    @Test
    void unpersistBesideOverwriteLeavesNoUnitsWithoutAName() throws InterruptedException {
        SESSION.spark().udf().register("signal", (UDF1<Long, Long>) ParitasCatalogTest::signal, DataTypes.LongType);
        SESSION.sql("CALL paritas.persist('source', 'rs-4-1', 'kept')");
        for (int round = 0; round < 20; round++) {
            CompletableFuture<Void> overwrite = CompletableFuture.runAsync(
                    () -> SESSION.sql("CALL paritas.persist('SELECT signal(id) AS id FROM range(0, 1, 1, 1)', 'rs-2-1',"
                            + " 'kept', 'overwrite')"));
            COMPUTING.acquire();
            if (SESSION.spark().catalog().tableExists("kept")) {
                SESSION.sql("CALL paritas.unpersist('kept')");
            }
            overwrite.join();
        }
        if (SESSION.spark().catalog().tableExists("kept")) {
            SESSION.sql("CALL paritas.unpersist('kept')");
        }
        PluginSession.awaitNoBlocks();
    }

    private static long signal(long id) {
        COMPUTING.release();
        return id;
    }

    @Test
    void theRowsOfAKeptViewCannotBeChanged() {
        SESSION.sql("CALL paritas.persist('source', 'rs-4-1', 'kept')");
        for (String statement : List.of(
                "INSERT INTO kept VALUES (1, 2)",
                "INSERT OVERWRITE kept SELECT * FROM source",
                "FROM source INSERT INTO kept SELECT * INSERT INTO kept SELECT *",
                "DELETE FROM kept WHERE id = 1",
                "UPDATE kept SET id = 1",
                "MERGE INTO kept USING source ON kept.id = source.id WHEN MATCHED THEN DELETE")) {
            assertThatThrownBy(() -> SESSION.sql(statement))
                    .as(statement)
                    .hasMessage("kept rows must stay as they are, got a statement that changes them: CALL"
                            + " paritas.persist replaces the view with mode => 'overwrite'");
        }
        assertThat(SESSION.sql("SELECT count(*) FROM kept").first().getLong(0)).isEqualTo(100);
    }

    /** Each computes its rows before the other has replaced the view. */
    @Test
    void ofTwoThatReplaceAViewAtOnceOneStays() throws Exception {
        SESSION.sql("CALL paritas.persist('source', 'rs-4-1', 'kept')");
        meeting = new CountDownLatch(2);
        SESSION.spark().udf().register("meet", (UDF1<Long, Long>) ParitasCatalogTest::meet, DataTypes.LongType);
        String replace = "CALL paritas.persist('SELECT meet(id) AS id FROM range(0, 1, 1, 1)', 'rs-4-1', 'kept',"
                + " 'overwrite')";
        CompletableFuture<Void> other = CompletableFuture.runAsync(() -> SESSION.sql(replace));
        SESSION.sql(replace);
        other.get();
        SESSION.sql("CALL paritas.unpersist('kept')");
        PluginSession.awaitNoBlocks();
    }

    private static long meet(long id) throws InterruptedException {
        meeting.countDown();
        meeting.await();
        return id;
    }

    /** Somebody creates it while the rows are computed. */
    @Test
    void aViewThatIsNotKeptIsNotReplaced() {
        SESSION.sql("CALL paritas.persist('source', 'rs-4-1', 'kept')");
        SESSION.spark().udf().register("intrude", (UDF1<Long, Long>) ParitasCatalogTest::intrude, DataTypes.LongType);
        refused(
                "persist('SELECT intrude(id) AS id FROM range(0, 1, 1, 1)', 'rs-4-1', 'kept', 'overwrite')",
                "name must be that of a new view, got kept, which this session has: take another name, or DROP VIEW"
                        + " kept");
        assertThat(SESSION.sql("SELECT count(*) FROM kept").first().getLong(0)).isEqualTo(7);
        SESSION.sql("DROP VIEW kept");
        assertThat(PluginSession.storedBlocks()).isZero();
    }

    /** On a thread of its own: those of tasks run no queries. */
    private static long intrude(long id) {
        CompletableFuture.runAsync(() -> {
                    SESSION.sql("CALL paritas.unpersist('kept')");
                    SESSION.spark().range(7).createOrReplaceTempView("kept");
                })
                .join();
        return id;
    }

    @Test
    void handlersOfScriptsCatchErrorsOfSpark() {
        assertThat(SESSION.sql("""
                        BEGIN
                          DECLARE EXIT HANDLER FOR SQLEXCEPTION SELECT 'handled';
                          CALL paritas.persist(source => 'nowhere', code => 'rs-4-1', name => 'kept');
                        END\
                        """).first().getString(0)).isEqualTo("handled");
    }

    @Test
    void keepsAQuery() {
        SESSION.sql(
                "CALL paritas.persist('WITH s AS (SELECT * FROM source) SELECT three, count(*) AS n FROM s GROUP BY 1; ',"
                        + " 'xor-2', 'counts')");
        assertThat(SESSION.sql("SELECT n FROM counts ORDER BY three").collectAsList())
                .extracting(row -> row.getLong(0))
                .containsExactly(34L, 33L, 33L);
        SESSION.sql("CALL paritas.persist('source; ', 'xor-2', 'all')");
        assertThat(SESSION.sql("SELECT * FROM all").count()).isEqualTo(100);
    }

    @Test
    void keepsAViewWhoseNameNeedsQuotes() {
        Row kept = SESSION.sql("CALL paritas.persist('source', 'rs-4-1', '`my view`')")
                .first();
        assertThat(kept.<String>getAs("name")).isEqualTo("my view");
        assertThat(SESSION.sql("SELECT count(*) FROM `my view`").first().getLong(0))
                .isEqualTo(100);
        assertThat(names(SESSION.spark(), "CALL paritas.health(name => '`my view`')"))
                .containsExactly("my view");

        SESSION.sql("CALL paritas.unpersist(name => '`my view`')");
        assertThat(names(SESSION.spark(), "CALL paritas.health()")).isEmpty();
        assertThat(PluginSession.storedBlocks()).isZero();
    }

    @Test
    void listsTheViewsOfTheSession() {
        SESSION.sql("CALL paritas.persist('source', 'rs-4-2', 'b')");
        Dataset<Row> rows =
                ErasureCoded.persist(SESSION.spark().range(10), "xor-3").toDF();
        rows.createOrReplaceTempView("a");
        assertThat(names(SESSION.spark(), "CALL paritas.health()")).containsExactly("a", "b");
        assertThat(names(SESSION.spark(), "CALL paritas.health(name => 'B')")).containsExactly("b");
        assertThat(names(SESSION.spark().newSession(), "CALL paritas.health()")).isEmpty();
    }

    private static List<String> names(SparkSession session, String call) {
        return session.sql(call).collectAsList().stream()
                .map(row -> row.<String>getAs("name"))
                .toList();
    }

    @Test
    void sparkDescribesTheProcedures() {
        assumeTrue(SESSION.spark().version().compareTo("4.1") >= 0, "Spark 4.0 has no SHOW PROCEDURES");
        assertThat(SESSION.sql("SHOW PROCEDURES IN paritas").collectAsList())
                .extracting(row -> row.<String>getAs("procedure_name"))
                .containsExactly(
                        "persist",
                        "unpersist",
                        "health",
                        "write_checkpoint",
                        "read_checkpoint",
                        "verify_checkpoint",
                        "repair_checkpoint");
        assertThat(SESSION.sql("DESCRIBE PROCEDURE paritas.persist").collectAsList())
                .extracting(row -> row.getString(0))
                .anySatisfy(line -> assertThat(line).contains("source: a table, a view or a query"));
    }

    @Test
    void saysWhatIsWrong() {
        refused("persist('source', 'rs-4', 'kept')", "got 'rs-4'");
        assertThatThrownBy(() -> SESSION.sql("CALL paritas.persist('nowhere', 'rs-4-1', 'kept')"))
                .isInstanceOf(AnalysisException.class)
                .hasMessageContaining("TABLE_OR_VIEW_NOT_FOUND");
        refused(
                "persist('DROP VIEW source', 'rs-4-1', 'kept')",
                "source must be a table, a view or a query, got 'DROP VIEW source'");
        refused("persist(NULL, 'rs-4-1', 'kept')", "source must be a table, a view or a query, got NULL");
        refused(
                "persist('source', 'rs-4-1', 'a.b')",
                "name must be that of a temporary view, without a database, such as kept_rows, got 'a.b': put a"
                        + " name with other characters than letters, digits and _ between backquotes");
        refused(
                "persist('source', 'rs-4-1', 'source')",
                "name must be that of a new view, got source, which this session has: take another name, or DROP VIEW"
                        + " source");
        refused(
                "unpersist('nothing')",
                "name must be a temporary view of this session, got nothing: CALL paritas.health() lists those");
        refused("unpersist('source')", "name must be a view that paritas.persist has created, got source: CALL");
        refused("health('source')", "name must be a view that paritas.persist has created, got source: CALL");
        assertThatThrownBy(() -> SESSION.sql("CALL paritas.repair()"))
                .hasRootCauseMessage("a procedure of the catalog paritas must be one of persist, unpersist, health,"
                        + " write_checkpoint, read_checkpoint, verify_checkpoint, repair_checkpoint, got repair");
        SESSION.sql("CALL paritas.persist('source', 'rs-4-1', 'kept')");
        refused(
                "persist('source', 'rs-4-1', 'kept')",
                "take another name, or CALL paritas.unpersist(name => 'kept'); paritas.persist replaces it with mode =>"
                        + " 'overwrite'");
    }

    @Test
    void aCheckpointSurvivesDirectories(@TempDir Path disks) throws IOException {
        String directories = IntStream.range(0, 5)
                .mapToObj(disk -> disks.resolve("disk" + disk).toUri().toString())
                .collect(Collectors.joining(", "));
        String write = "CALL paritas.write_checkpoint(source => 'SELECT id, three FROM source WHERE id > 9',"
                + " code => 'rs-3-2', directories => '" + directories + "'";
        Row written = SESSION.sql(write + ")").first();
        assertThat(written.<String>getAs("code")).isEqualTo("rs-3-2");
        assertThat(written.<Integer>getAs("directories")).isEqualTo(5);
        assertThat(written.<Integer>getAs("survives")).isEqualTo(2);
        assertThatThrownBy(() -> SESSION.sql(write + ")")).hasMessageContaining("the checkpoint in " + directories);
        SESSION.sql(write + ", mode => 'overwrite')");

        Files.move(disks.resolve("disk1"), disks.resolve("lost1"));
        Files.move(disks.resolve("disk4"), disks.resolve("lost4"));
        Row read = SESSION.sql("CALL paritas.read_checkpoint('" + directories + "', '`my rows`')")
                .first();
        assertThat(read.<String>getAs("name")).isEqualTo("my rows");
        assertThat(read.<Integer>getAs("partitions")).isEqualTo(5);
        assertThat(SESSION.sql("SELECT sum(id), sum(three) FROM `my rows`").first())
                .isEqualTo(SESSION.sql("SELECT sum(id), sum(three) FROM source WHERE id > 9")
                        .first());
        refused("read_checkpoint('" + directories + "', '`my rows`')", "take another name, or DROP VIEW `my rows`");
        SESSION.sql("DROP VIEW `my rows`");
        SESSION.sql("CALL paritas.persist('source', 'rs-4-1', 'kept')");
        refused(
                "read_checkpoint('" + directories + "', 'kept')",
                "take another name, or CALL paritas.unpersist(name => 'kept')");
        SESSION.sql("CALL paritas.unpersist('kept')");

        String verify = "CALL paritas.verify_checkpoint('" + directories + "')";
        assertThat(SESSION.sql(verify).collectAsList())
                .isNotEmpty()
                .allSatisfy(row -> assertThat(row.<String>getAs("file")).containsPattern("disk[14]"));
        assertThat(SESSION.sql("CALL paritas.repair_checkpoint('" + directories + "')")
                        .count())
                .isPositive();
        assertThat(SESSION.sql(verify).collectAsList()).isEmpty();
    }

    @Test
    void saysWhatIsWrongWithACheckpoint(@TempDir Path disk) {
        String nothing = disk.toUri().toString();
        refused("read_checkpoint('" + nothing + "', 'restored')", "the checkpoint in " + nothing + ": ");
        refused(
                "read_checkpoint('" + nothing + "', 'a.b')",
                "name must be that of a temporary view, without a database");
        refused(
                "verify_checkpoint('" + nothing + ",,')",
                "directories must be paths with commas between them, got '" + nothing + ",,'");
        refused(
                "write_checkpoint('source', 'rs-3-2', '" + nothing + "', 'append')",
                "mode must be error or overwrite, got 'append'");
        refused("write_checkpoint('source', 'rs-3', '" + nothing + "')", "got 'rs-3'");
    }

    private static void refused(String call, String message) {
        assertThatThrownBy(() -> SESSION.sql("CALL paritas." + call)).hasMessageContaining(message);
    }
}
