/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.spark.Predict;
import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.inference.spark.settings.Exchange;
import io.paritas.it.LongTest;
import io.paritas.it.Seeded;
import io.paritas.spark.ec.ErasureCoded;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Rows from files and caches, for which {@code exchange=auto} leaves the exchange out, while executors are killed that read and keep
 * them: every row has the answer that it has uncoded.
 */
@Order(SparkClusters.CODED)
@Tag(SparkClusters.SHARED)
class StableRowsIT {
    private static final boolean ALL = Boolean.getBoolean(LongTest.PROPERTY);
    private static final int K = 2;
    private static final int ROWS = 240;
    private static final int PARTITIONS = 2 * K;
    private static final int MIDDLE = 25;
    /* On a busy machine a task may be late, and killed, before it is hit. */
    private static final double NOBODY_IS_LATE = 1e6;
    private static final double PATIENCE = 1.5;
    /* Two stripes: data of two partitions, and parity. */
    private static final List<Integer> DATA = List.of(0, 1, 3, 4);

    @RegisterExtension
    static final SparkClusters SPARK = new SparkClusters();

    @TempDir
    Path folder;

    private SparkSession session;
    private KnownAnswers known;
    private Path marks;
    private Optional<Dataset<Row>> kept = Optional.empty();

    /** Where rows come from, and whether they stay where they are. */
    enum Source {
        FILES(false) {
            @Override
            Dataset<Row> of(Dataset<Row> files) {
                return files;
            }
        },
        /** As {@link #CACHE}; its blocks are made while they are predicted. */
        EMPTY_CACHE(false) {
            @Override
            Dataset<Row> of(Dataset<Row> files) {
                return files.cache();
            }
        },
        CACHE(false) {
            @Override
            Dataset<Row> of(Dataset<Row> files) {
                files.cache().count();
                return files;
            }
        },
        KEPT(false) {
            @Override
            Dataset<Row> of(Dataset<Row> files) {
                return ErasureCoded.persist(files, "rs-2-1");
            }
        },
        /** Blocks that are lost come back in another order. */
        CACHED_EXCHANGE(true) {
            @Override
            Dataset<Row> of(Dataset<Row> files) {
                Dataset<Row> exchanged = files.repartition(PARTITIONS).cache();
                exchanged.count();
                return exchanged;
            }
        };

        private final boolean exchanged;

        Source(boolean exchanged) {
            this.exchanged = exchanged;
        }

        abstract Dataset<Row> of(Dataset<Row> files);
    }

    @BeforeEach
    void start() throws Exception {
        session = SPARK.session(StragglersIT.CODED);
        // A file in each partition.
        session.conf().set("spark.sql.files.maxPartitionBytes", "10m");
        session.conf().set("spark.sql.files.openCostInBytes", "10m");
        known = KnownAnswers.exact(folder, K, 1);
        marks = Files.createDirectory(folder.resolve("marks"));
        KnownAnswers.rows(session, ROWS, PARTITIONS).write().parquet(files());
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        session.catalog().clearCache();
        kept.ifPresent(ErasureCoded::unpersist);
        session = SPARK.session(StragglersIT.CODED);
        Leftovers.awaitNone(session);
    }

    private String files() {
        return folder.resolve("rows").toString();
    }

    /** Each source, and one of the rows; all of them where tests may take {@linkplain LongTest long}. */
    static Stream<Arguments> killed() {
        List<Integer> rows = new ArrayList<>(List.of(0, MIDDLE, Faults.END));
        Random random = Seeded.random("rows before which executors are killed");
        return Stream.of(Source.values()).flatMap(source -> {
            Collections.shuffle(rows, random);
            return List.copyOf(rows).stream().limit(ALL ? rows.size() : 1).map(row -> Arguments.of(source, row));
        });
    }

    /** Two of the sources, or all. */
    static Stream<Source> some() {
        List<Source> sources = new ArrayList<>(List.of(Source.values()));
        Collections.shuffle(sources, Seeded.random("sources of rows"));
        return sources.stream().limit(ALL ? sources.size() : 2);
    }

    @ParameterizedTest
    @MethodSource("killed")
    void anExecutorIsKilledBeforeARow(Source source, int row) {
        Random random = Seeded.random(source + " before " + row);
        check(source, new Faults(Map.of(DATA.get(random.nextInt(DATA.size())), Fault.KILL), row), NOBODY_IS_LATE);
        assertThat(marks).isNotEmptyDirectory();
    }

    /** A task is late, and an executor is killed that has what it would be reconstructed from, or may have. */
    @ParameterizedTest
    @MethodSource("some")
    void anExecutorIsKilledWhileATaskIsLate(Source source) {
        check(source, new Faults(Map.of(0, Fault.SLEEP, 1, Fault.KILL, 3, Fault.LATE), MIDDLE), PATIENCE);
    }

    @ParameterizedTest
    @MethodSource("some")
    void aTaskFailsInEachStripe(Source source) {
        check(source, new Faults(Map.of(1, Fault.THROW, 4, Fault.THROW), MIDDLE), NOBODY_IS_LATE);
        assertThat(marks).isNotEmptyDirectory();
    }

    private void check(Source source, Faults faults, double patience) {
        Dataset<Row> rows = source.of(session.read().parquet(files()));
        kept = source == Source.KEPT ? Optional.of(rows) : Optional.empty();
        Dataset<Row> coded = known.of(rows, auto(patience), faults.once(marks));
        assertThat(plan(coded))
                .contains(source.exchanged ? ", exchanged: " : ", not exchanged: rows always come in the same order");

        List<Row> answers = coded.collectAsList();

        known.check(answers, ROWS);
        List<Row> uncoded = known.of(
                        session.read().parquet(files()),
                        Predict.plain(known.path().toString(), col("x")))
                .collectAsList();
        assertThat(predictions(answers)).isEqualTo(predictions(uncoded)).hasSize(ROWS);
    }

    /** By id. */
    private static Map<Long, List<Float>> predictions(List<Row> rows) {
        return rows.stream().collect(Collectors.toMap(row -> row.getLong(0), row -> row.getList(1)));
    }

    private static String plan(Dataset<Row> query) {
        return ((org.apache.spark.sql.classic.Dataset<Row>) query)
                .queryExecution()
                .executedPlan()
                .toString();
    }

    private Predict auto(double patience) {
        return known.predict().option(CodedSettings.EXCHANGE, Exchange.AUTO).option(CodedSettings.PATIENCE, patience);
    }
}
