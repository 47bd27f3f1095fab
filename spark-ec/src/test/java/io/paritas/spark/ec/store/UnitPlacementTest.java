/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.CodeName;
import io.paritas.erasure.Erasures;
import io.paritas.spark.ec.store.UnitPlacement.Stored;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UnitPlacementTest {
    /** All ways to have up to five partitions on up to four executors. */
    @Test
    void everyStripeIsSpread() {
        for (int executors = 1; executors <= 4; executors++) {
            for (int partitions = 0; partitions <= 5; partitions++) {
                for (int way = 0; way < Math.pow(executors, partitions); way++) {
                    List<Stored<Integer>> stored = new ArrayList<>();
                    for (int partition = 0, rest = way; partition < partitions; partition++, rest /= executors) {
                        stored.add(new Stored<>(partition, 1 + partition % 3, rest % executors));
                    }
                    for (int k = 1; k <= 3; k++) {
                        for (int r = 1; r <= 2; r++) {
                            check(k, r, executors, stored);
                        }
                    }
                }
            }
        }
    }

    @Test
    void everyStripeIsSpreadWhenThereAreMany() {
        Random random = new Random(11);
        for (int trial = 0; trial < 300; trial++) {
            int executors = 1 + random.nextInt(20);
            List<Stored<Integer>> stored = random(random, executors, random.nextInt(200), 1 << random.nextInt(20));
            check(1 + random.nextInt(12), 1 + random.nextInt(4), executors, stored);
        }
    }

    private static List<Stored<Integer>> random(Random random, int executors, int partitions, int longest) {
        return IntStream.range(0, partitions)
                .mapToObj(partition -> new Stored<>(partition, 1 + random.nextInt(longest), random.nextInt(executors)))
                .toList();
    }

    private static void check(int k, int r, int executors, List<Stored<Integer>> stored) {
        UnitPlacement<Integer> placement =
                new UnitPlacement<>(k, r, IntStream.range(0, executors).boxed().toList());
        int share = (k + r + executors - 1) / executors;
        List<List<Stored<Integer>>> stripes = placement.stripes(stored);
        assertThat(stripes.stream().flatMap(List::stream)).containsExactlyInAnyOrderElementsOf(stored);
        Map<Integer, Long> given = new HashMap<>();
        for (List<Stored<Integer>> stripe : stripes) {
            assertThat(stripe.size()).isBetween(1, k);
            List<Integer> having =
                    new ArrayList<>(stripe.stream().map(Stored::executor).toList());
            having.addAll(placement.targets(having, r, 100, given));
            assertThat(having).hasSize(stripe.size() + r);
            assertThat(having).allSatisfy(executor -> assertThat(Collections.frequency(having, executor))
                    .isLessThanOrEqualTo(share));
        }
        assertThat(given.values().stream().mapToLong(Long::longValue).sum()).isEqualTo(100L * r * stripes.size());
    }

    /** As few stripes as there can be: none has more than k units, nor more than one of an executor. */
    @Test
    void equalPartitionsHaveTheLeastParity() {
        Random random = new Random(12);
        for (int trial = 0; trial < 100; trial++) {
            int k = 1 + random.nextInt(8);
            int executors = k + 2 + random.nextInt(4);
            List<Stored<Integer>> stored = random(random, executors, 1 + random.nextInt(100), 1);
            long fullest = IntStream.range(0, executors)
                    .mapToLong(executor -> stored.stream()
                            .filter(partition -> partition.executor() == executor)
                            .count())
                    .max()
                    .orElseThrow();
            assertThat(new UnitPlacement<>(
                                    k, 2, IntStream.range(0, executors).boxed().toList())
                            .stripes(stored))
                    .hasSize((int) Math.max((stored.size() + k - 1) / k, fullest));
        }
    }

    @Test
    void partitionsOfAStripeAreAboutEquallyLong() {
        List<Stored<Integer>> stored = new ArrayList<>();
        for (int partition = 0; partition < 40; partition++) {
            stored.add(new Stored<>(partition, partition % 2 == 0 ? 1000 : 10, partition / 2 % 5));
        }
        List<List<Stored<Integer>>> stripes = new UnitPlacement<>(4, 1, List.of(0, 1, 2, 3, 4)).stripes(stored);
        long parity = stripes.stream()
                .flatMapToLong(stripe -> LongStream.of(
                        stripe.stream().mapToLong(Stored::length).max().orElseThrow()))
                .sum();
        assertThat(parity).isLessThanOrEqualTo(5 * 1000 + 6 * 10);
    }

    /** As after a shuffle of skewed keys: each stripe of long partitions of one executor stays open. */
    @Test
    void stripesThatCannotTakeAPartitionAreNotLookedAtAgain() {
        AtomicLong looks = new AtomicLong();
        UnitPlacement<Integer> placement =
                new UnitPlacement<>(CodeName.parse("rs-4-2"), List.of(0, 1, 2, 3, 4, 5), executor -> {
                    looks.incrementAndGet();
                    return executor;
                });
        List<Stored<Integer>> stored = IntStream.range(0, 6_000)
                .mapToObj(partition -> new Stored<>(partition, 6_000 - partition, partition / 1_000))
                .toList();
        placement.stripes(stored);
        assertThat(looks.get()).isLessThan(100L * stored.size());
    }

    @Test
    void parityIsSpreadEvenly() {
        UnitPlacement<Integer> placement = new UnitPlacement<>(2, 1, List.of(0, 1, 2, 3, 4, 5));
        Map<Integer, Long> given = new HashMap<>();
        for (int stripe = 0; stripe < 60; stripe++) {
            List<Integer> having = List.of(stripe % 6, (stripe + 1) % 6);
            assertThat(placement.targets(having, 1, 7, given)).doesNotContainAnyElementsOf(having);
        }
        assertThat(given.values()).allSatisfy(bytes -> assertThat(bytes).isBetween(9L * 7, 11L * 7));
    }

    @Test
    void choosesOthersForUnitsThatAnExecutorDoesNotTake() {
        UnitPlacement<Integer> placement = new UnitPlacement<>(2, 2, List.of(0, 1, 2, 3, 4, 5, 6, 7));
        Map<Integer, Long> given = new HashMap<>(Map.of(2, 5L));

        assertThat(placement.choices(List.of(0, 1), 2, 10, given)).containsExactly(List.of(3, 5, 7), List.of(4, 6, 2));
        assertThat(given).as("to the first choices").containsEntry(3, 10L).containsEntry(4, 10L);
        assertThat(given.values().stream().mapToLong(Long::longValue).sum()).isEqualTo(25);
    }

    @Test
    void choosesAnotherOneOnTheHostFirst() {
        UnitPlacement<Integer> placement =
                new UnitPlacement<>(CodeName.parse("rs-1-2"), List.of(0, 1, 2, 3, 4, 5), executor -> executor / 2);
        assertThat(placement.choices(List.of(0), 2, 10, new HashMap<>()))
                .containsExactly(List.of(2, 3, 0), List.of(4, 5, 1));
    }

    /** Whichever first choice takes none, its unit need not go beside another one. */
    @Test
    void choosesTheOnlySpareForAllUnits() {
        UnitPlacement<Integer> placement = new UnitPlacement<>(4, 2, List.of(0, 1, 2, 3, 4, 5, 6));
        assertThat(placement.choices(List.of(0, 1, 2, 3), 2, 10, new HashMap<>()))
                .containsExactly(List.of(4, 6, 0), List.of(5, 6, 1));
    }

    @Test
    void choosesNoExecutorTwice() {
        assertThat(new UnitPlacement<>(2, 1, List.of(0, 1)).choices(List.of(0), 1, 10, new HashMap<>()))
                .containsExactly(List.of(1, 0));
    }

    /** A unit that its first choice does not take stays where it is rather than to crowd another executor. */
    @Test
    void movesNoUnitToAnExecutorThatHasItsShare() {
        UnitPlacement<Integer> placement = new UnitPlacement<>(2, 1, List.of(0, 1, 2));
        assertThat(placement
                        .spread(Map.of(0, 0, 1, 0, 2, 1), 10, new HashMap<>())
                        .values())
                .containsExactly(List.of(2));
    }

    @Test
    void saysHowManyExecutorsMayBeLost() {
        assertThat(survives(4, 2, 6)).isEqualTo(2);
        assertThat(survives(4, 2, 5)).isEqualTo(1);
        assertThat(survives(4, 2, 3)).isEqualTo(1);
        assertThat(survives(4, 2, 2)).isZero();
        assertThat(survives(4, 2, 1)).isZero();
        assertThat(survives(4, 2, 100)).isEqualTo(2);
    }

    /** Local parity helps where losses are spread over the groups; it may be any executors that are lost. */
    @ParameterizedTest
    @ValueSource(ints = {10, 6, 5, 4, 1})
    void promisesNoMoreThanALocalCodeKeeps(int executors) {
        CodeName code = CodeName.parse("lrc-6-2-2");
        UnitPlacement<Integer> placement =
                new UnitPlacement<>(code, IntStream.range(0, executors).boxed().toList(), Function.identity());
        List<Integer> having = placement.targets(List.of(), code.n(), 1, new HashMap<>());
        assertThat(placement.survives())
                .isEqualTo(placement.survives(having, 0))
                .isEqualTo(executors == 10 ? 2 : executors >= 5 ? 1 : 0);
        for (int lost = 0; lost < 1 << executors; lost++) {
            int domains = lost;
            if (Integer.bitCount(domains) <= placement.survives()) {
                Erasures units = Erasures.of(IntStream.range(0, code.n())
                        .filter(unit -> (domains >> having.get(unit) & 1) == 1)
                        .toArray());
                assertThat(code.erasureCode().canReconstruct(units))
                        .as("units %s", units)
                        .isTrue();
            }
        }
        assertThat(placement.survives(having.subList(1, code.n()), 1)).isEqualTo(executors == 10 ? 1 : 0);
    }

    private static int survives(int k, int r, int executors) {
        return new UnitPlacement<>(k, r, IntStream.range(0, executors).boxed().toList()).survives();
    }
}
