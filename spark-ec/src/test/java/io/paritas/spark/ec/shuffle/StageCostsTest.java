/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.JobSucceeded$;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.StageInfo;
import org.junit.jupiter.api.Test;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

class StageCostsTest {
    /** What was said of each shuffle. */
    private final List<String> said = new ArrayList<>();

    private final Set<Integer> uncoded = new HashSet<>(Set.of(1, 2, 4));
    private final StageCosts costs =
            new StageCosts((shuffle, time) -> said.add(shuffle + " " + time.toSeconds()), uncoded::contains);

    private static <T> Seq<T> seq(List<T> list) {
        return CollectionConverters.asScala(list).toSeq();
    }

    private static StageInfo stage(int id, Duration ran, Option<Object> shuffle, List<Object> parents) {
        TaskMetrics metrics = new TaskMetrics();
        metrics.setExecutorRunTime(ran.toMillis());
        return new StageInfo(
                id, 0, "stage", 1, seq(List.of()), seq(parents), "", metrics, seq(List.of()), shuffle, 0, false, 0);
    }

    /** A stage that ran, with the number of its shuffle. */
    private static StageInfo map(int id, int seconds, Object... parents) {
        return stage(id, Duration.ofSeconds(seconds), Option.apply(id), List.of(parents));
    }

    private void job(int job, StageInfo... stages) {
        costs.onJobStart(new SparkListenerJobStart(job, 0, seq(List.of(stages)), null));
    }

    private void ended(StageInfo stage) {
        costs.onStageCompleted(new SparkListenerStageCompleted(stage));
    }

    private void ended(int job) {
        costs.onJobEnd(new SparkListenerJobEnd(job, 0, JobSucceeded$.MODULE$));
    }

    @Test
    void aShuffleCostsItsTasksAndThoseOfUncodedParents() {
        List<StageInfo> stages = List.of(map(1, 10), map(2, 20, 1), map(3, 30, 2), map(4, 40, 3, 1));
        job(7, stages.toArray(StageInfo[]::new));
        stages.forEach(this::ended);

        assertThat(said).containsExactly("1 10", "2 30", "3 60", "4 50");
    }

    /** Adaptive execution has a job for each shuffle. The stages that it reads have other numbers then, and do not run. */
    @Test
    void aShuffleIsReadInAnotherJob() {
        job(7, map(1, 10));
        ended(map(1, 10));
        ended(7);
        StageInfo reader = stage(9, Duration.ofSeconds(20), Option.apply(2), List.of(8));
        job(8, stage(8, Duration.ZERO, Option.apply(1), List.of()), reader);
        ended(reader);

        assertThat(said).containsExactly("1 10", "2 30");
    }

    @Test
    void anotherAttemptAddsItsTime() {
        job(7, map(1, 10), map(2, 20, 1));
        ended(map(1, 10));
        ended(map(2, 20, 1));
        ended(map(2, 5, 1));

        assertThat(said).containsExactly("1 10", "2 30", "2 35");
    }

    @Test
    void theLastStageOfAJobHasNoShuffle() {
        ended(stage(1, Duration.ofSeconds(10), Option.empty(), List.of()));

        assertThat(said).isEmpty();
    }

    @Test
    void aShuffleThatHasGoneIsForgotten() {
        job(7, map(1, 10));
        ended(map(1, 10));
        uncoded.remove(1);
        ended(7);
        uncoded.add(1);
        job(8, map(1, 0), map(2, 20, 1));
        ended(map(2, 20, 1));

        assertThat(said).containsExactly("1 10", "2 20");
    }
}
