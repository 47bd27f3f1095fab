/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static io.paritas.inference.spark.LocalSession.ROWS;
import static io.paritas.inference.spark.LocalSession.check;
import static io.paritas.inference.spark.LocalSession.metric;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.protect.FaultInjection;
import io.paritas.inference.protect.LayerProbes;
import io.paritas.inference.protect.Planner;
import io.paritas.inference.protect.gemm.Probe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProtectedPredictTest {
    @RegisterExtension
    static final LocalSession LOCAL = new LocalSession();

    private static final String FAULTS = "io.paritas.inference.protect.faults";

    @BeforeEach
    void allowFaults() {
        System.setProperty(FAULTS, "true");
    }

    @AfterEach
    void disarm() {
        FaultInjection.disarm();
        System.clearProperty(FAULTS);
    }

    private static Dataset<Row> query(String function, String mode) {
        return LOCAL.sql("SELECT id, " + function + "($model, x, map('batchRows', '8', 'protect', '" + mode
                + "')).prediction FROM t");
    }

    @ParameterizedTest
    @CsvSource({
        "predict, global",
        "predict, thread",
        "predict, weighted",
        "predict, guided",
        "coded_predict, global",
        "coded_predict, guided"
    })
    void predictionsAreCheckedAndRight(String function, String mode) {
        Dataset<Row> query = query(function, mode);
        check(query.collectAsList(), ROWS);
        assertThat(metric(query, "protectionChecks")).isPositive();
        assertThat(metric(query, "protectionDetections")).isZero();
    }

    @Test
    void nothingIsCheckedUnlessItIsAskedFor() {
        Dataset<Row> query = query("predict", "off");
        check(query.collectAsList(), ROWS);
        assertThat(metric(query, "protectionChecks")).isZero();
    }

    /** Makes the first value of so many products wrong. */
    private static LayerProbes wrong(int times) {
        AtomicInteger left = new AtomicInteger(times);
        return layer -> new Probe() {
            @Override
            public void computed(float[] c, int at, int stride, int row, int rows, int column, int columns) {
                if (left.getAndDecrement() > 0) {
                    c[at] += 1e6f;
                }
            }
        };
    }

    @ParameterizedTest
    @CsvSource({"predict, global", "predict, thread", "coded_predict, global"})
    void aFaultIsFoundAndPutRight(String function, String mode) {
        Dataset<Row> query = query(function, mode);
        FaultInjection.arm(wrong(1));
        check(query.collectAsList(), ROWS);
        assertThat(metric(query, "protectionDetections")).isEqualTo(1);
        assertThat(metric(query, "protectionRecomputations")).isEqualTo(1);
    }

    @Test
    void withoutProtectionTheSameFaultIsAnswered() {
        FaultInjection.arm(wrong(1));
        Dataset<Row> query = LOCAL.sql(
                "SELECT id, predict($model, x, map('batchRows', '8', 'engine', 'protected')).prediction FROM t");
        assertThatThrownBy(() -> check(query.collectAsList(), ROWS)).isInstanceOf(AssertionError.class);
    }

    @Test
    void aFaultThatStaysFailsTheQueryAndNamesLayerAndExecutor() {
        FaultInjection.arm(wrong(Integer.MAX_VALUE));
        assertThatThrownBy(() -> query("predict", "global").collectAsList())
                .hasStackTraceContaining("model.onnx failed on executor driver: wrong values were found in Gemm '")
                .hasStackTraceContaining("and again when it was computed once more: the batch is not answered");
    }

    @Test
    void aPlanIsUsed(@TempDir Path folder) throws Exception {
        Path plan = folder.resolve("plan.json");
        Files.writeString(
                plan,
                Planner.plan(LocalSession.MODEL.file(), 8, Duration.ofMillis(2)).json());
        Dataset<Row> query = LOCAL.sql("SELECT id, predict($model, x, map('protect', 'guided', 'protectPlan', '" + plan
                + "')).prediction FROM t");
        check(query.collectAsList(), ROWS);
        assertThat(metric(query, "protectionChecks")).isPositive();
    }

    @Test
    void wrongSettingsAreRefused() {
        assertThatThrownBy(() -> query("predict", "often").collectAsList())
                .hasMessageContaining(
                        "spark.paritas.engine.protect (option protect) must be one of off, global, thread,"
                                + " weighted, guided, got 'often'");
        assertThatThrownBy(() -> LOCAL.sql(
                                "SELECT predict($model, x, map('protect', 'global', 'engine', 'libtorch'))" + " FROM t")
                        .collectAsList())
                .hasMessageContaining(
                        "the engines that check what they compute are [protected], 'libtorch' was asked for");
        assertThatThrownBy(() -> LOCAL.sql(
                                "SELECT predict($model, x, map('protect', 'guided', 'protectPlan', '/no'))" + " FROM t")
                        .collectAsList())
                .hasMessageContaining("there must be a plan of protection at '/no', no such file is there");
    }
}
