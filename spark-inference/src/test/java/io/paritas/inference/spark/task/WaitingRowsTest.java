/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WaitingRowsTest {
    private static final int OTHERS = 3;

    /** Files of rows that are spilled are Spark's. */
    @BeforeAll
    static void start() {
        Fixtures.spark();
    }

    private static UnsafeRow row(int number, int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) number);
        UnsafeRow row = new UnsafeRow(0);
        row.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET, length);
        return row;
    }

    /** Takes rows, and checks that each is its length and its bytes. */
    private static List<byte[]> take(WaitingRows waiting, int count) {
        byte[] bytes = new byte[1 + (int) waiting.size(count)];
        assertThat(waiting.take(count, bytes, 1)).isEqualTo(bytes.length);
        ByteBuffer in = ByteBuffer.wrap(bytes, 1, bytes.length - 1).order(ByteOrder.nativeOrder());
        List<byte[]> rows = new ArrayList<>();
        while (in.hasRemaining()) {
            byte[] row = new byte[(int) in.getLong()];
            in.get(row);
            rows.add(row);
        }
        assertThat(rows).hasSize(count);
        return rows;
    }

    private static long files() {
        return Arrays.stream(SparkEnv.get().blockManager().diskBlockManager().localDirs())
                .flatMap(folder -> Arrays.stream(folder.listFiles()))
                .flatMap(
                        folder -> folder.isDirectory() ? Arrays.stream(folder.listFiles()) : Arrays.stream(new File[0]))
                .filter(file -> file.getName().startsWith("temp_local_"))
                .count();
    }

    /** From all that is wanted to nearly nothing. */
    @ParameterizedTest
    @ValueSource(longs = {1 << 30, 4 << 20, 300_000, 1000, 1})
    void comeOutAsTheyCameIn(long memory) {
        Random random = new Random(1);
        TaskContextImpl task = Fixtures.task(memory);
        long before = files();
        WaitingRows waiting = new WaitingRows(task);
        for (int round = 0; round < 3; round++) {
            List<byte[]> expected = new ArrayList<>();
            long bytes = 0;
            for (int i = 0; i < 200; i++) {
                UnsafeRow row = row(i, i % 50 == 7 ? 1 << 20 : random.nextInt(20) * 8);
                expected.add(row.getBytes().clone());
                bytes += row.getSizeInBytes() + OTHERS;
                waiting.add(row, OTHERS);
                Arrays.fill(row.getBytes(), (byte) -1);
            }
            assertThat(waiting.getUsed() >= bytes).as("all is in memory").isEqualTo(memory > bytes);
            assertThat(waiting.getUsed()).isLessThanOrEqualTo(memory);
            List<byte[]> taken = new ArrayList<>();
            while (taken.size() < expected.size()) {
                taken.addAll(take(waiting, Math.min(random.nextInt(60), expected.size() - taken.size())));
            }
            assertThat(taken)
                    .as("seed 1, round %d", round)
                    .usingElementComparator(Arrays::compare)
                    .isEqualTo(expected);
            waiting.clear();
            assertThat(waiting.getUsed()).isZero();
        }
        assertThat(task.taskMetrics().diskBytesSpilled() > 0).isEqualTo(memory < 12 << 20);
        assertThat(files()).isEqualTo(before);
        assertThat(task.taskMemoryManager().cleanUpAllAllocatedMemory()).isZero();
    }

    @Test
    void leaveTheirMemoryToOthers() throws IOException {
        TaskContextImpl task = Fixtures.task(1 << 20);
        WaitingRows waiting = new WaitingRows(task);
        for (int i = 0; i < 9; i++) {
            waiting.add(row(i, 100_000), 0);
        }
        take(waiting, 2);
        MemoryConsumer other = new MemoryConsumer(task.taskMemoryManager(), MemoryMode.ON_HEAP) {
            @Override
            public long spill(long size, MemoryConsumer trigger) {
                return 0;
            }
        };
        assertThat(other.acquireMemory(1 << 20)).isEqualTo(1 << 20);
        assertThat(waiting.getUsed()).isZero();
        waiting.add(row(9, 8), 0);
        assertThat(take(waiting, 8))
                .extracting(bytes -> bytes[0])
                .containsExactly((byte) 2, (byte) 3, (byte) 4, (byte) 5, (byte) 6, (byte) 7, (byte) 8, (byte) 9);
        other.freeMemory(1 << 20);
    }

    @Test
    void endWithTheirTask() {
        TaskContextImpl task = Fixtures.task(300_000);
        long before = files();
        WaitingRows waiting = new WaitingRows(task);
        for (int i = 0; i < 9; i++) {
            waiting.add(row(i, 100_000), 0);
        }
        assertThat(files()).isGreaterThan(before);
        task.markTaskCompleted(scala.Option.empty());
        assertThat(files()).isEqualTo(before);
        assertThat(task.taskMemoryManager().getMemoryConsumptionForThisTask()).isZero();
    }
}
