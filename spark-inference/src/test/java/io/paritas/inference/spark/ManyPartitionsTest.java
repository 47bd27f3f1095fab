/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.inference.spark.settings.EngineSettings;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A task that reads many predicted partitions, as of coalesce, has at their end what it had at their beginning. */
class ManyPartitionsTest {
    @RegisterExtension
    static final LocalSession LOCAL = new LocalSession();

    private static final int PARTITIONS = 24;
    private static final int WIDE = 1 << 17;
    /* Of the inputs of one row. */
    private static final long BYTES = 4L * WIDE;

    @TempDir
    static Path folder;

    private static String model;

    @BeforeAll
    static void write() {
        ExactModel wide = ExactModel.of(WIDE, 2, 1);
        model = wide.write(folder).toString();
        wide.parity(2, 1, Map.of()).write(folder);
    }

    /** At its end, the task's execution memory, and the bytes of direct buffers that are more than before. */
    private static List<Long> kept(Predict predict) {
        Dataset<Row> rows = LOCAL.spark()
                .range(0, 2 * PARTITIONS, 1, PARTITIONS)
                .selectExpr("array_repeat(float(id % 5), " + WIDE + ") AS x")
                .select(predict.option(EngineSettings.BATCH_ROWS, 1).toColumn().getField("outcome"))
                .coalesce(1);
        long before = direct(Long.MIN_VALUE);
        MapPartitionsFunction<Row, Long> keeping = answers -> keeping(answers, before);
        return rows.mapPartitions(keeping, Encoders.LONG()).collectAsList();
    }

    private static Iterator<Long> keeping(Iterator<Row> answers, long before) {
        long count = 0;
        for (; answers.hasNext(); count++) {
            assertThat(answers.next().getString(0)).isEqualTo("predicted");
        }
        assertThat(count).isEqualTo(2 * PARTITIONS);
        long execution = TaskContext.get().taskMemoryManager().getMemoryConsumptionForThisTask();
        return List.of(execution, direct(before + 8 * BYTES) - before).iterator();
    }

    /** The bytes of direct buffers that are in use, once they are no more than enough, or collectors have had their time. */
    private static long direct(long enough) {
        BufferPoolMXBean pool = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(each -> each.getName().equals("direct"))
                .findFirst()
                .orElseThrow();
        for (int i = 0; i < 20 && (i < 2 || pool.getMemoryUsed() > enough); i++) {
            System.gc();
            try {
                Thread.sleep(50); // Another thread frees what was collected.
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        return pool.getMemoryUsed();
    }

    private static void keepsNothing(Predict predict) {
        List<Long> kept = kept(predict);
        assertThat(kept.get(0)).as("execution memory").isZero();
        assertThat(kept.get(1)).as("direct buffers").isLessThan(8 * BYTES);
    }

    @Test
    void plain() {
        keepsNothing(Predict.plain(model, col("x")));
    }

    @Test
    void codedInPlace() {
        keepsNothing(Predict.coded(model, col("x")).option("exchange", "never"));
    }

    @Test
    void codedAndExchanged() {
        keepsNothing(Predict.coded(model, col("x")).option(CodedSettings.SEGMENTS, PARTITIONS));
    }

    @Test
    void cascades() {
        keepsNothing(Predict.cascade(model, model, col("x")).option("threshold", 1.0));
    }
}
