/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.Logged;
import io.paritas.inference.recommend.LocalSpark;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ExclusionTest {
    private static final String NO_ANSWER =
            "WARN Paritas: the cluster manager does not answer whether it ends executor ";

    /** The cluster manager's answers; yes to all others. */
    private final Map<String, CompletableFuture<Boolean>> answers = new ConcurrentHashMap<>();

    private final BlockingQueue<String> asked = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> refused = new LinkedBlockingQueue<>();
    private final TestCluster cluster = new TestCluster(Set.of("1", "2", "last"), this::answer);
    private final Exclusion exclusion = new Exclusion(LocalSpark.session().sparkContext(), () -> cluster);
    private final Logged log = new Logged(Exclusion.class.getName());

    private CompletableFuture<Boolean> answer(String executor) {
        asked.add(executor);
        return answers.getOrDefault(executor, CompletableFuture.completedFuture(true));
    }

    @AfterEach
    void close() {
        exclusion.close();
        log.close();
    }

    private void exclude(String executor) {
        exclusion.exclude(executor, () -> refused.add(executor));
    }

    /** Those that Spark did not end, of all that were excluded. They are excluded one after the other, so the last one is refused last. */
    private Set<String> refused() throws InterruptedException {
        answers.put("last", CompletableFuture.completedFuture(false));
        exclude("last");
        Set<String> all = ConcurrentHashMap.newKeySet();
        for (String next = refused.take(); !next.equals("last"); next = refused.take()) {
            all.add(next);
        }
        return all;
    }

    @Test
    void anExecutorIsEnded() throws InterruptedException {
        exclude("1");

        assertThat(refused()).isEmpty();
        assertThat(cluster.isExecutorActive("1")).isFalse();
        assertThat(cluster.isExecutorActive("2")).isTrue();
        assertThat(log.lines()).contains("ERROR Paritas: executor 1 was ended");
    }

    @Test
    void theClusterManagerRefuses() throws InterruptedException {
        answers.put("1", CompletableFuture.completedFuture(false));
        exclude("1");

        assertThat(refused()).containsExactly("1");
        assertThat(log.lines()).contains("ERROR Paritas: Spark did not end executor 1: end it by hand");
    }

    @Test
    void theClusterManagerDoesNotAnswer() throws InterruptedException {
        answers.put("1", CompletableFuture.failedFuture(new TimeoutException("thrown on purpose by this test")));
        exclude("1");
        exclude("2");

        assertThat(refused()).containsExactly("1");
        assertThat(log.lines())
                .contains(
                        NO_ANSWER + "1",
                        "ERROR Paritas: Spark did not end executor 1: end it by hand",
                        "ERROR Paritas: executor 2 was ended");
    }

    /** As dynamic allocation may. */
    @Test
    void somebodyElseIsEndingItAlready() throws InterruptedException {
        answers.put("1", CompletableFuture.completedFuture(false));
        cluster.killExecutor("1");
        exclude("1");

        assertThat(refused()).isEmpty();
        assertThat(log.lines()).contains("INFO Paritas: executor 1 has ended already, or is ending");
    }

    @Test
    void itHasEndedAlready() throws InterruptedException {
        cluster.leave("1");
        exclude("1");

        assertThat(refused()).isEmpty();
        assertThat(log.lines()).contains("INFO Paritas: executor 1 has ended already, or is ending");
    }

    @Test
    void itEndsWhileTheClusterManagerIsAsked() throws InterruptedException {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        answers.put("1", answer);
        exclude("1");
        assertThat(asked.take()).isEqualTo("1");
        cluster.leave("1");
        answer.completeExceptionally(new TimeoutException("thrown on purpose by this test"));

        assertThat(refused()).isEmpty();
        assertThat(log.lines()).contains("INFO Paritas: executor 1 has ended already, or is ending");
    }

    @Test
    void theApplicationEndsWhileTheClusterManagerIsAsked() throws InterruptedException {
        CompletableFuture<Thread> asking = new CompletableFuture<>();
        TestCluster silent = new TestCluster(Set.of("1"), executor -> {
            asking.complete(Thread.currentThread());
            return new CompletableFuture<>();
        });
        Exclusion ending = new Exclusion(LocalSpark.session().sparkContext(), () -> silent);
        ending.exclude("1", () -> refused.add("1"));
        Thread thread = asking.join();

        ending.close();
        thread.join();

        assertThat(refused).isEmpty();
        assertThat(log.lines())
                .filteredOn(line -> line.contains("executor 1"))
                .containsExactly("INFO Paritas: executor 1 has ended already, or is ending");
    }
}
