/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.serving.spark.Placement.Executor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;

class PlacementTest {
    private static final long SECOND = 1_000_000_000;
    private static final Executor A1 = new Executor("1", "a");
    private static final Executor A2 = new Executor("2", "a");
    private static final Executor B3 = new Executor("3", "b");

    private final List<Executor> running = new ArrayList<>(List.of(A1, A2, B3));
    private final Placement placement = new Placement(() -> running, new HashMap<>(), OptionalInt.of(0));

    @Test
    void spreadsOverExecutorsAndHosts() {
        assertThat(Stream.of("x", "y", "z").map(id -> placement.chooseFree(id)))
                .satisfiesExactly(
                        first -> assertThat(first).contains(A1),
                        second -> assertThat(second).contains(B3),
                        third -> assertThat(third).contains(A2));
        assertThat(placement.chooseFree("w")).isEmpty();
        assertThat(placement.choose("w")).contains(B3);
    }

    /** The place that an instance of a former version has left is taken, not that of one that still runs. */
    @Test
    void ofEqualExecutorsTheEmptiestIsChosen() {
        Map<String, Executor> places = new HashMap<>();
        Placement former = new Placement(() -> running, places, OptionalInt.of(0));
        Placement next = new Placement(() -> running, places, OptionalInt.of(0));
        List.of("x", "y", "z").forEach(former::chooseFree); // on A1, B3, A2

        former.forget("z");
        assertThat(next.chooseFree("new x")).contains(A2);
        former.forget("y");
        assertThat(next.chooseFree("new y")).contains(B3);
        assertThat(next.chooseFree("new z")).contains(A1);
        assertThat(next.chooseFree("new w")).isEmpty();
    }

    /** Executors would be compared by walks through all instances: n instances on n executors would cost n times n times n. */
    @Test
    void allInstancesAreLookedAtOnceForEachChoice() {
        AtomicInteger walks = new AtomicInteger();
        Map<String, Executor> places = new HashMap<>() {
            @Override
            public Collection<Executor> values() {
                walks.incrementAndGet();
                return super.values();
            }
        };
        List<Executor> many = IntStream.range(0, 40)
                .mapToObj(i -> new Executor(String.valueOf(i), "host" + i / 4))
                .toList();
        Placement spread = new Placement(() -> many, places, OptionalInt.of(0));

        assertThat(IntStream.range(0, 40)
                        .mapToObj(i -> spread.chooseFree("i" + i).orElseThrow())
                        .collect(Collectors.toSet()))
                .hasSize(40);
        assertThat(walks).hasValue(40);
    }

    @Test
    void whereAnInstanceWasDoesNotCount() {
        placement.chooseFree("x");
        running.remove(B3);
        running.remove(A2);

        assertThat(placement.chooseFree("x")).contains(A1);
        placement.forget("x");
        assertThat(placement.chooseFree("y")).contains(A1);
    }

    /** All instances of a model were on the executor that came first, and were lost with it. */
    @Test
    void whileExecutorsComeAnInstanceWaitsForOneOfItsOwn() {
        running.clear();
        assertThat(placement.mayShare(0, 59 * SECOND)).isFalse();
        running.add(A1);
        assertThat(placement.mayShare(0, 60 * SECOND)).isFalse();
        running.add(A2);
        assertThat(placement.mayShare(0, 64 * SECOND)).isFalse();
        assertThat(placement.mayShare(0, 68 * SECOND)).isFalse();
        assertThat(placement.mayShare(0, 69 * SECOND)).isTrue();
        assertThat(placement.mayShare(80 * SECOND, 84 * SECOND))
                .as("another instance")
                .isFalse();
        assertThat(placement.mayShare(80 * SECOND, 85 * SECOND)).isTrue();
    }

    @Test
    void forALostExecutorAnInstanceWaitsForAMinute() {
        assertThat(placement.mayShare(0, 0)).isFalse();
        assertThat(placement.mayShare(0, 5 * SECOND)).isTrue();
        running.remove(A1);
        assertThat(placement.mayShare(10 * SECOND, 69 * SECOND)).isFalse();
        assertThat(placement.mayShare(10 * SECOND, 70 * SECOND)).isTrue();
        running.add(A1);
        assertThat(placement.mayShare(10 * SECOND, 15 * SECOND)).isTrue();
    }

    @Test
    void forExecutorsThatSparkIsAskedForAnInstanceWaitsForAMinute() {
        Placement asked = new Placement(() -> running, new HashMap<>(), OptionalInt.of(4));

        assertThat(asked.mayShare(0, 0)).isFalse();
        assertThat(asked.mayShare(0, 59 * SECOND)).isFalse();
        assertThat(asked.mayShare(0, 60 * SECOND)).isTrue();
    }

    /** Spark asks for executors when tasks wait: one has to. */
    @Test
    void withDynamicAllocationAnInstanceStartsWithoutExecutors() {
        running.clear();
        Placement dynamic = new Placement(() -> running, new HashMap<>(), OptionalInt.empty());

        assertThat(dynamic.mayShare(0, 4 * SECOND)).isFalse();
        assertThat(dynamic.mayShare(0, 5 * SECOND)).isTrue();
    }

    @Test
    void settingsTellHowManyExecutorsAreAskedFor() {
        assertThat(Placement.asked(new SparkConf(false))).hasValue(0);
        assertThat(Placement.asked(new SparkConf(false).set("spark.executor.instances", "3")))
                .hasValue(3);
        assertThat(Placement.asked(
                        new SparkConf(false).set("spark.cores.max", "8").set("spark.executor.cores", "2")))
                .hasValue(4);
        assertThat(Placement.asked(new SparkConf(false).set("spark.cores.max", "8")))
                .hasValue(0);
        assertThat(Placement.asked(new SparkConf(false)
                        .set("spark.dynamicAllocation.enabled", "true")
                        .set("spark.executor.instances", "3")))
                .isEmpty();
    }

    @Test
    void thoseThatShareAnExecutorAreKnown() {
        running.removeAll(List.of(A2, B3));
        List.of("x", "y", "z").forEach(placement::choose);

        assertThat(placement.beside("y")).containsExactly("x", "z");
        placement.forget("x");
        placement.forget("z");
        assertThat(placement.beside("y")).isEmpty();
    }

    @Test
    void withoutExecutorsThereIsNoChoice() {
        running.clear();

        assertThat(placement.choose("x")).isEmpty();
    }

    @Test
    void aLocationIsWrittenAsSparkReadsIt() {
        assertThat(org.apache.spark.scheduler.TaskLocation.apply(B3.location()))
                .isInstanceOf(org.apache.spark.scheduler.ExecutorCacheTaskLocation.class)
                .hasToString(B3.location());
    }
}
