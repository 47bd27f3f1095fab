/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.recommend.train.BatchCount.Claim;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class BatchCountTest {
    private static final long MOST = (1L << 48) - 1;
    private static final Claim CLAIM = new Claim(1_795_962_000_123L, 70_000);

    private static BatchCount count(long batches) {
        return new BatchCount(batches, CLAIM);
    }

    private static void add(float[] sum, float[] row, int sign) {
        for (int i = 0; i < sum.length; i++) {
            sum[i] += sign * row[i];
        }
    }

    @Test
    void countsBeyondWhatOneParameterCan() {
        float[] row = new float[BatchCount.DIMENSION];
        assertThat(BatchCount.of(row)).isEqualTo(new BatchCount(0, Claim.NONE));
        add(row, BatchCount.of(row).updateTo(count(0)), 1);
        for (long batches = 0; batches < (1 << 24) + 100; batches++) {
            add(row, count(batches).updateTo(count(batches).oneMore()), 1);
            if (batches % 1000 > 990 || (batches + 1) % (1 << 16) < 2) {
                assertThat(BatchCount.of(row)).isEqualTo(count(batches + 1));
            }
        }
        assertThat(BatchCount.of(row)).isEqualTo(count((1 << 24) + 100));
    }

    @Test
    void countsMillionsOfMillions() {
        long batches = (1L << 39) - 3;
        float[] row = count(batches).row();
        assertThat(row).startsWith((1 << 16) - 3, (1 << 23) - 1);
        for (int i = 0; i < 6; i++) {
            add(row, count(batches + i).updateTo(count(batches + i).oneMore()), 1);
            assertThat(BatchCount.of(row)).isEqualTo(count(batches + i + 1));
        }
    }

    @Test
    void aParityOfManyRowsIsExact() {
        float[] parity = new float[BatchCount.DIMENSION];
        BatchCount[] counts = LongStream.range(0, 255)
                .mapToObj(i -> new BatchCount((1 << 20) - 1 - i % 2, new Claim(MOST - i, MOST - 3 * i)))
                .toArray(BatchCount[]::new);
        for (BatchCount count : counts) {
            add(parity, count.row(), 1);
        }
        for (BatchCount count : Arrays.copyOf(counts, 254)) {
            add(parity, count.row(), -1);
        }

        assertThat(BatchCount.of(parity)).as("the row that is lost").isEqualTo(counts[254]);
    }

    @Test
    void theRowOfACountIsWhatUpdatesMakeOfIt() {
        List<BatchCount> counts = LongStream.of(0, 1, (1 << 16) - 1, 1 << 16, 3L << 16)
                .boxed()
                .flatMap(batches -> LongStream.of(0, 1, 65_535, 65_536, 1L << 32, MOST)
                        .mapToObj(number -> new BatchCount(batches, new Claim(number, MOST - number))))
                .toList();
        for (BatchCount count : counts) {
            assertThat(BatchCount.of(count.row())).isEqualTo(count);
            for (BatchCount next : counts) {
                float[] row = count.row();
                add(row, count.updateTo(next), 1);
                assertThat(row).containsExactly(next.row());
            }
        }
    }

    /** An application that resumes a training counts its tasks anew. */
    @Test
    void tasksAreComparedWithinAnApplication() {
        assertThat(new Claim(5, 8).isAfter(new Claim(5, 7))).isTrue();
        assertThat(new Claim(5, 7).isAfter(new Claim(5, 7))).isFalse();
        assertThat(new Claim(5, 7).isAfter(new Claim(5, 8))).isFalse();
        assertThat(new Claim(4, 80).isAfter(new Claim(5, 7))).isFalse();
    }
}
