/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.it.LongTest;
import io.paritas.it.Seeded;
import io.paritas.spark.ParitasPlugin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tasks that are late, fail, or die with their executor: every row is answered, once and right, and nobody waits. */
@Order(SparkClusters.CODED)
@Tag(SparkClusters.SHARED)
class StragglersIT {
    static final Map<String, String> CODED = Map.of("spark.plugins", ParitasPlugin.class.getName());

    /** Less than {@link Fault#SLEEP} takes, and much more than a slow machine does. */
    private static final Duration NOBODY_WAITED = Duration.ofMinutes(4);

    @RegisterExtension
    static final SparkClusters SPARK = new SparkClusters();

    @TempDir
    static Path folder;

    private SparkSession session;

    @BeforeEach
    void start() throws Exception {
        session = SPARK.session(CODED);
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        session = SPARK.session(CODED);
        Leftovers.awaitNone(session);
    }

    @ParameterizedTest
    @CsvSource({"2, 2, 1", "3, 3, 1"})
    void reconstructsALateSegmentWhicheverItIs(int k, int partitions, int stripes) {
        eachIsLate(k, partitions, stripes);
    }

    @LongTest
    @ParameterizedTest
    @CsvSource({"2, 4, 2", "4, 4, 1"})
    void reconstructsALateSegmentOfSeveralStripesOrAWideOne(int k, int partitions, int stripes) {
        eachIsLate(k, partitions, stripes);
    }

    private void eachIsLate(int k, int partitions, int stripes) {
        KnownAnswers known = KnownAnswers.offset(folder, k);
        int rows = partitions * k * KnownAnswers.BATCH_ROWS * 12;
        for (int segment = 0; segment < stripes * (k + 1); segment++) {
            Random random = new Random(segment);
            Faults late = Faults.untilReconstructed(Map.of(segment, Fault.SLEEP), random.nextInt(8));

            List<Long> reconstructed = answer(known, KnownAnswers.rows(session, rows, partitions), late, rows);

            assertThat(reconstructed).as("k = %s, segment %s", k, segment).isNotEmpty();
        }
    }

    @Test
    void reconstructsTwoLateSegmentsOfAStripe() {
        twoAreLate(2, 2);
    }

    @LongTest
    @Test
    void reconstructsTwoLateSegmentsOfAWideStripe() {
        twoAreLate(3, 3);
    }

    private void twoAreLate(int k, int partitions) {
        KnownAnswers known = KnownAnswers.exact(folder, k, 2);
        int rows = partitions * k * KnownAnswers.BATCH_ROWS * 12;
        for (int one = 0; one < k + 2; one++) {
            for (int other = one + 1; other < k + 2; other++) {
                Faults late = Faults.untilReconstructed(Map.of(one, Fault.SLEEP, other, Fault.SLEEP), 1);

                List<Long> reconstructed = answer(known, KnownAnswers.rows(session, rows, partitions), late, rows);

                assertThat(reconstructed).as("segments %s and %s", one, other).isNotEmpty();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 5, Faults.END})
    void answersTheRowsOfASegmentThatFails(int row) {
        KnownAnswers known = KnownAnswers.exact(folder, 2, 1);
        for (int segment = 0; segment < 6; segment++) {
            answer(known, KnownAnswers.rows(session, 200, 4), new Faults(Map.of(segment, Fault.THROW), row), 200);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, Faults.END})
    void answersTheRowsOfAnExecutorThatIsKilled(int row) throws Exception {
        KnownAnswers known = KnownAnswers.exact(folder, 2, 1);
        int segment = Seeded.random("killed at " + row).nextInt(3);
        answer(known, KnownAnswers.rows(session, 200, 2), new Faults(Map.of(segment, Fault.KILL), row), 200);
    }

    @Test
    void answersEachRowOnceWhateverTheRowsAndTheFaults() {
        for (int seed = 0; seed < 8; seed++) {
            Random random = new Random(seed);
            int k = 2 + random.nextInt(3);
            int r = 1 + random.nextInt(2);
            int partitions = 1 + random.nextInt(2 * k);
            int rows = random.nextInt(400);
            int stripes = (partitions + k - 1) / k;
            Map<Integer, Fault> faults = new TreeMap<>();
            for (int stripe = 0; stripe < stripes; stripe++) {
                for (int hit = random.nextInt(r) + 1; hit > 0; hit--) {
                    Fault fault = random.nextBoolean() ? Fault.SLEEP : Fault.THROW;
                    faults.put(stripe * (k + r) + random.nextInt(k + r), fault);
                }
            }
            System.out.printf(
                    "seed %d: k = %d, r = %d, %d rows in %d partitions, %s%n", seed, k, r, rows, partitions, faults);

            answer(
                    KnownAnswers.exact(folder, k, r),
                    KnownAnswers.rows(session, rows, partitions),
                    new Faults(faults, 0),
                    rows);
        }
    }

    @Test
    void answersWhatOrdinaryPredictionDoes() {
        KnownAnswers known = KnownAnswers.exact(folder, 2, 1);
        Dataset<Row> rows = KnownAnswers.rows(session, 300, 4);
        List<Row> coded =
                known.of(rows, Faults.at(4, Fault.SLEEP)).drop("outcome").collectAsList();

        session.conf().set(CodedSettings.ENABLED.key(), false);
        List<Row> uncoded = known.of(rows).drop("outcome").collectAsList();

        assertThat(coded).containsExactlyInAnyOrderElementsOf(uncoded);
    }

    private static List<Long> answer(KnownAnswers known, Dataset<Row> rows, Faults faults, int count) {
        long start = System.nanoTime();
        List<Row> answers = known.of(rows, faults).collectAsList();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).as("%s", faults).isLessThan(NOBODY_WAITED);
        return known.check(answers, count);
    }
}
