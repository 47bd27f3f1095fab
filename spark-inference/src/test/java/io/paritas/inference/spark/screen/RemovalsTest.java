/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.recommend.LocalSpark;
import io.paritas.inference.screen.ErrorBudget;
import io.paritas.inference.screen.Jury;
import io.paritas.inference.screen.Ledger;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Four executors on hosts of their own, of which the first is faulty. There is no cluster that could end it. */
class RemovalsTest {
    private final Ledger ledger = new Ledger(ErrorBudget.ofEachTest(1e-9));
    private final Jury jury = new Jury(Duration.ofHours(1));
    private final Exclusion exclusion = new Exclusion(LocalSpark.session().sparkContext());
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
        ledger.add(executor, true);
        removals.wrong(executor, ledger.add(executor, true));
    }

    @AfterEach
    void end() {
        exclusion.close();
    }

    @Test
    void anExecutorThatSparkDoesNotEndIsReportedAsKept() {
        assertThat(removals.isEnded("1")).isTrue();
        assertThat(removals.endedExecutors()).isEqualTo(1);

        removals.refused("1");

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
    void anExecutorThatSparkDoesNotEndIsNotAmongThoseThatAreLeft() {
        removals.refused("1");
        removals.heard("1", "host1");
        wrong("2");
        wrong("3");

        assertThat(removals.isEnded("1")).as("Spark is not asked again").isFalse();
        assertThat(removals.isEnded("2")).isTrue();
        assertThat(removals.obstacle("3")).contains("fewer than half of the executors would be left");
    }

    /** Spark may let it go, or lose it, and nobody is ended then. */
    @Test
    void anExecutorThatHasLeftIsNotKept() throws InterruptedException {
        Ledger two = new Ledger(ErrorBudget.perDay(0.01));
        Jury brief = new Jury(Duration.ofMillis(1));
        Removals one = new Removals(two, brief, Optional.of(new ExclusionLimit(1, false, System::nanoTime)), exclusion);
        for (String executor : List.of("1", "2")) {
            two.join(executor, "host" + executor);
            brief.heard(executor, "host" + executor);
        }
        for (String executor : List.of("1", "1", "2", "2")) {
            one.wrong(executor, two.add(executor, true));
        }
        assertThat(one.isEnded("1")).isTrue();
        assertThat(one.keptExecutors()).isEqualTo(1);
        assertThat(one.obstacles()).containsOnlyKeys("2");

        TimeUnit.MILLISECONDS.sleep(10); // longer than executors are waited for
        brief.next("3");

        assertThat(one.keptExecutors()).isZero();
        assertThat(one.obstacles()).isEmpty();
    }
}
