/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ec.ErasureCoded;
import io.paritas.spark.ec.PluginSession;
import java.lang.ref.WeakReference;
import java.util.concurrent.CompletableFuture;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The first session of an application that keeps rows, and goes without a word. */
class ForgottenSessionTest {
    private SparkSession spark;

    @BeforeEach
    void start() {
        spark = PluginSession.start(PluginSession.builder());
    }

    @AfterEach
    void stop() {
        spark.stop();
    }

    /** Threads that it has started are still there. */
    @Test
    void isForgottenWithItsRows() throws Exception {
        WeakReference<SparkSession> session = CompletableFuture.supplyAsync(
                        this::keepsRows, ForgottenSessionTest::start)
                .get();

        for (int wait = 0; wait < 100 && session.get() != null; wait++) {
            System.gc();
            Thread.sleep(100);
        }

        assertThat(session.get()).isNull();
        PluginSession.awaitNoBlocks();
    }

    private WeakReference<SparkSession> keepsRows() {
        SparkSession session = spark.newSession();
        SparkSession.setActiveSession(session);
        try {
            ErasureCoded.persist(session.range(0, 100, 1, 4), "rs-2-1").createTempView("kept");
        } catch (AnalysisException e) {
            throw new IllegalStateException(e);
        }
        assertThat(PluginSession.storedBlocks()).isPositive();
        return new WeakReference<>(session);
    }

    private static void start(Runnable work) {
        new Thread(work, "a client").start();
    }
}
