/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static io.paritas.it.spark.ShuffleMetrics.metric;
import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.it.Seeded;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Random graphs of shuffles, while executors are killed at any moment, against plain Spark's answers.
 * {@code -Dparitas.shuffle.kills=300} kills as often, {@code -Dparitas.shuffle.taskMillis=300} has map tasks take longer.
 */
@Order(SparkClusters.SHUFFLED)
@Tag(SparkClusters.SHARED)
class LostMapOutputsIT {
    private static final String PROPERTY = "paritas.shuffle.kills";
    private static final int KILLS = Integer.getInteger(PROPERTY, 4);
    private static final int KILLS_PER_GRAPH = 2;

    /** The tasks of the graphs take a few milliseconds, which is less than it takes to make parity. */
    private static final int TASK_MILLIS = Integer.getInteger("paritas.shuffle.taskMillis", 0);

    @RegisterExtension
    static final SparkClusters SPARK = CodedClusters.shared();

    private record Expected(RandomDag graph, List<String> answer, int tasks) {}

    @AfterEach
    void endApplication() throws Exception {
        SPARK.endApplication();
    }

    /**
     * Stages are retried for outputs that were lost before they had parity, and for nothing else. How many that are is printed: it
     * depends on the machine.
     */
    @Test
    void answersAreThoseOfPlainSpark() throws Exception {
        System.out.println(KILLS + " executors are killed; -D" + PROPERTY + "=300 kills more");
        Random random = Seeded.random("shuffles");
        List<Expected> graphs = plain(random);
        SparkSession session = SPARK.session(CodedShuffleIT.RANDOM);
        int kills = 0;
        int retried = 0;
        int given = 0;
        for (Expected expected : graphs) {
            List<Integer> moments = random.ints(Math.min(KILLS - kills, KILLS_PER_GRAPH), 1, expected.tasks())
                    .boxed()
                    .toList();
            long lost = metric("lostOutputs");
            try (StageAttempts stages = new StageAttempts(session.sparkContext());
                    TaskKills killer = new TaskKills(session.sparkContext(), SPARK, random, moments)) {
                Optional<List<String>> answer = answer(expected.graph(), new JavaSparkContext(session.sparkContext()));
                String what = expected.graph() + ", kills after tasks " + moments;
                answer.ifPresent(rows -> assertThat(rows).as(what).isEqualTo(expected.answer()));
                given += answer.isEmpty() ? 1 : 0;
                kills += killer.kills();
                lost = metric("lostOutputs") - lost;
                if (lost == 0) {
                    assertThat(answer).as(what).isPresent();
                    assertThat(stages.retried()).as(what).isEmpty();
                }
                retried += stages.retried().size();
            }
            System.out.println(expected.graph() + ": kills after tasks " + moments + " of " + expected.tasks() + ", "
                    + lost + " outputs lost; in all " + kills + " kills, " + retried + " stages retried, "
                    + metric("keptOutputs") + " outputs kept, " + metric("lostOutputs")
                    + " lost, " + given + " jobs given up");
        }
        assertThat(kills).isPositive();
    }

    /**
     * The answer; empty if Spark has given up. It does so when rows are lost that other tasks have read, and that may come in another order
     * when they are made again, once the last stage of a job has begun.
     */
    private static Optional<List<String>> answer(RandomDag graph, JavaSparkContext context) throws Exception {
        try {
            return Optional.of(graph.answer(context));
        } catch (Exception e) { // Spark's are checked and not declared.
            if (String.valueOf(e.getMessage())
                    .contains("A shuffle map stage with indeterminate output was failed and retried")) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** What Spark's own shuffle answers, and how many tasks it takes. */
    private static List<Expected> plain(Random random) throws Exception {
        SPARK.endApplication();
        SparkSession session = SparkSession.builder()
                .master("local[2]")
                .config("spark.ui.enabled", "false")
                .getOrCreate();
        try (TaskKills counter = new TaskKills(session.sparkContext(), SPARK, random, List.of())) {
            List<Expected> graphs = new ArrayList<>();
            int before = 0;
            for (long seed : seeds(random)) {
                RandomDag graph = new RandomDag(seed, TASK_MILLIS);
                List<String> answer = new RandomDag(seed, 0).answer(new JavaSparkContext(session.sparkContext()));
                session.sparkContext().listenerBus().waitUntilEmpty();
                graphs.add(new Expected(graph, answer, counter.ended() - before));
                before = counter.ended();
            }
            return graphs;
        } finally {
            session.stop();
        }
    }

    private static long[] seeds(Random random) {
        int graphs = (KILLS + KILLS_PER_GRAPH - 1) / KILLS_PER_GRAPH;
        return LongStream.generate(random::nextLong).limit(graphs).toArray();
    }
}
