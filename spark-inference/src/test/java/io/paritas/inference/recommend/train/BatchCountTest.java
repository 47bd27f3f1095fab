/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class BatchCountTest {
    private static long add(float[] row, long batches) {
        float[] more = BatchCount.oneMoreThan(batches);
        for (int i = 0; i < row.length; i++) {
            row[i] += more[i];
        }
        return BatchCount.of(row);
    }

    @Test
    void countsBeyondWhatOneParameterCan() {
        float[] row = new float[BatchCount.DIMENSION];
        assertThat(BatchCount.of(row)).isZero();
        for (long batches = 0; batches < (1 << 24) + 100; batches++) {
            if (add(row, batches) != batches + 1) {
                assertThat(BatchCount.of(row)).isEqualTo(batches + 1);
            }
        }
        assertThat(BatchCount.of(row)).isEqualTo((1 << 24) + 100);
    }

    @Test
    void countsMillionsOfMillions() {
        long batches = (1L << 39) - 3;
        float[] row = {(1 << 16) - 3, (1 << 23) - 1};
        for (int i = 0; i < 6; i++) {
            assertThat(add(row, batches + i)).isEqualTo(batches + i + 1);
        }
    }

    @Test
    void aParityOfManyRowsIsExact() {
        float[] parity = new float[BatchCount.DIMENSION];
        long[] counts = LongStream.range(0, 255).map(i -> (1 << 20) - 1 - i % 2).toArray();
        for (long count : counts) {
            addTo(parity, BatchCount.row(count));
        }
        for (long count : Arrays.copyOf(counts, 254)) {
            float[] row = BatchCount.row(count);
            addTo(parity, new float[] {-row[0], -row[1]});
        }

        assertThat(BatchCount.of(parity)).as("the row that is lost").isEqualTo(counts[254]);
    }

    private static void addTo(float[] sum, float[] row) {
        for (int i = 0; i < sum.length; i++) {
            sum[i] += row[i];
        }
    }

    @Test
    void theRowOfACountIsWhatUpdatesMakeOfIt() {
        for (long batches : new long[] {0, 1, (1 << 16) - 1, 1 << 16, 3L << 16}) {
            assertThat(BatchCount.of(BatchCount.row(batches))).isEqualTo(batches);
            float[] row = BatchCount.row(batches);
            float[] more = BatchCount.oneMoreThan(batches);
            assertThat(BatchCount.row(batches + 1)).containsExactly(row[0] + more[0], row[1] + more[1]);
        }
    }
}
