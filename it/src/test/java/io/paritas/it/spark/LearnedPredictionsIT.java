/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
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

/** A learned code on executors: what is late or lost is what its decoder network answers, which is off by 1,000. */
@Order(SparkClusters.CODED)
@Tag(SparkClusters.SHARED)
class LearnedPredictionsIT {
    @RegisterExtension
    static final SparkClusters SPARK = new SparkClusters();

    @TempDir
    Path folder;

    private SparkSession session;

    @BeforeEach
    void start() throws Exception {
        session = SPARK.session(StragglersIT.CODED);
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        session = SPARK.session(StragglersIT.CODED);
        Leftovers.awaitNone(session);
    }

    @ParameterizedTest
    @CsvSource({"2, 0", "2, 1", "2, 2", "5, 3"})
    void aLateSegmentIsDecodedByTheNetwork(int k, int segment) {
        List<Long> reconstructed = answer(k, Faults.untilReconstructed(Map.of(segment, Fault.SLEEP), 2));

        assertThat(reconstructed).isNotEmpty();
    }

    @Test
    void theRowsOfAKilledExecutorAreAnswered() {
        answer(2, Faults.at(1, Fault.KILL));
    }

    private List<Long> answer(int k, Faults faults) {
        int rows = k * k * KnownAnswers.BATCH_ROWS * 12;
        KnownAnswers known = KnownAnswers.learned(folder, k);
        return known.check(known.of(KnownAnswers.rows(session, rows, k), faults).collectAsList(), rows);
    }
}
