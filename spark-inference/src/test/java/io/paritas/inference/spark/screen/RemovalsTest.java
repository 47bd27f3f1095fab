/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.recommend.LocalSpark;
import io.paritas.inference.screen.ErrorBudget;
import io.paritas.inference.screen.Jury;
import io.paritas.inference.screen.Ledger;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Four executors on hosts of their own, of which the first is faulty. The cluster manager does not end it. */
@Timeout(60)
class RemovalsTest {
    private static final Set<String> REFUSED = Set.of("1", "5", "last");

    private final Ledger ledger = new Ledger(ErrorBudget.ofEachTest(1e-9));
    private final Jury jury = new Jury(Duration.ofHours(1));
    private final TestCluster cluster = new TestCluster(
            Set.of("1", "2", "3", "4", "5", "6", "last"),
            executor -> CompletableFuture.completedFuture(!REFUSED.contains(executor)));
    private final Exclusion exclusion = new Exclusion(LocalSpark.session().sparkContext(), () -> cluster);
    private final ExclusionLimit limit = new ExclusionLimit(4, false, System::nanoTime);
    private final Removals removals = new Removals(ledger, jury, Optional.of(limit), exclusion);

    @BeforeEach
    void anExecutorIsFaulty() {
        for (String executor : List.of("1", "2", "3", "4")) {
            ledger.join(executor, "host" + executor);
            jury.heard(executor, "host" + executor);
        }
        wrong("1");
    }

    private void wrong(String executor) {
        ledger.addWrong(executor);
        removals.wrong(executor, ledger.addWrong(executor));
    }

    @AfterEach
    void end() {
        exclusion.close();
    }

    /** Waits until the cluster manager has answered. Executors are excluded one after the other. */
    private void awaitAnswers() throws InterruptedException {
        CountDownLatch refused = new CountDownLatch(1);
        exclusion.exclude("last", refused::countDown);
        refused.await();
    }

    @Test
    void anExecutorThatSparkDoesNotEndIsReportedAsKept() throws InterruptedException {
        awaitAnswers();

        assertThat(removals.isEnded("1")).isFalse();
        assertThat(removals.endedExecutors()).isZero();
        assertThat(removals.keptExecutors()).isEqualTo(1);
        assertThat(removals.faultyExecutors()).isEqualTo(1);
        assertThat(removals.obstacle("1")).contains("Spark did not end it: end it by hand");
        assertThat(new ScreeningReport(ledger, removals).reports().get(0).rows().get(0))
                .contains("suspect", "Spark did not end it: end it by hand");
    }

    /** It gets no tasks, so the others would be fewer than half. */
    @Test
    void anExecutorThatSparkDoesNotEndIsNotAmongThoseThatAreLeft() throws InterruptedException {
        awaitAnswers();
        removals.heard("1", "host1");
        wrong("2");
        wrong("3");

        assertThat(removals.isEnded("1")).as("Spark is not asked again").isFalse();
        assertThat(removals.isEnded("2")).isTrue();
        assertThat(removals.obstacle("3")).contains("fewer than half of the executors would be left");
    }

    /** Somebody ends it by hand, or Spark does though it did not say so. */
    @Test
    void anExecutorThatHasLeftIsNotKept() throws InterruptedException {
        Ledger two = new Ledger(ErrorBudget.perDay(0.01));
        Jury brief = new Jury(Duration.ofMillis(1));
        Removals one = new Removals(two, brief, Optional.of(new ExclusionLimit(1, false, System::nanoTime)), exclusion);
        for (String executor : List.of("5", "6")) {
            two.join(executor, "host" + executor);
            brief.heard(executor, "host" + executor);
        }
        for (String executor : List.of("5", "5", "6", "6")) {
            one.wrong(executor, two.addWrong(executor));
        }
        awaitAnswers();
        assertThat(one.obstacles())
                .isEqualTo(Map.of(
                        "5",
                        "Spark did not end it: end it by hand",
                        "6",
                        "no more than 1 executors are ended in 24 hours"));
        assertThat(one.keptExecutors()).isEqualTo(2);
        assertThat(one.endedExecutors()).isZero();

        TimeUnit.MILLISECONDS.sleep(10); // longer than executors are waited for
        brief.next("3");

        assertThat(one.obstacles()).isEmpty();
        assertThat(one.keptExecutors()).isZero();
        assertThat(one.isEnded("5")).isTrue();
        assertThat(one.isEnded("6")).isFalse();
        assertThat(one.endedExecutors()).isEqualTo(1);
    }
}
