/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.junit.jupiter.api.Test;

class MiniBatchesTest {
    private static final Tables TABLES = Tables.of(4, 6);

    private static Sample sample(int label, float dense, long... ids) {
        return new Sample(label, new float[] {dense}, ids);
    }

    @Test
    void samplesStayInOrderAndRowsAreCountedOnce() {
        List<Sample> samples = List.of(
                sample(1, 0.5f, 9, 2, 9),
                sample(0, 1.5f),
                sample(0, 2.5f, 2, 0),
                sample(1, 3.5f, 7),
                sample(1, 4.5f, 7));
        Iterator<MiniBatch> batches = new MiniBatches(Batches.rows(samples), 3, 1, TABLES);
        MiniBatch first = batches.next();
        assertThat(first.size()).isEqualTo(3);
        assertThat(first.labels()).containsExactly(1, 0, 0);
        assertThat(first.dense()).containsExactly(0.5f, 1.5f, 2.5f);
        assertThat(first.ids()).containsExactly(0, 2, 9);
        assertThat(first.places()).containsExactly(2, 1, 2, 1, 0);
        assertThat(List.of(first.start(0), first.start(1), first.start(2), first.start(3)))
                .containsExactly(0, 3, 3, 5);
        assertThat(first).hasToString("3 samples with 3 distinct embedding rows");
        MiniBatch last = batches.next();
        assertThat(last.labels()).containsExactly(1, 1);
        assertThat(last.ids()).containsExactly(7);
        assertThat(last.places()).containsExactly(0, 0);
        assertThat(batches.hasNext()).isFalse();
        assertThatExceptionOfType(NoSuchElementException.class).isThrownBy(batches::next);
    }

    @Test
    void samplesMayHaveManyIds() {
        List<Sample> samples = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            long[] ids = new long[i * 7];
            for (int j = 0; j < ids.length; j++) {
                ids[j] = (i + (long) j) % 10;
            }
            samples.add(sample(0, i, ids));
        }
        MiniBatch batch = new MiniBatches(Batches.rows(samples), 50, 1, TABLES).next();
        for (int i = 0; i < 50; i++) {
            assertThat(batch.start(i + 1) - batch.start(i)).isEqualTo(i * 7);
            for (int j = 0; j < i * 7; j++) {
                assertThat(batch.ids()[batch.places()[batch.start(i) + j]]).isEqualTo((i + j) % 10);
            }
        }
    }

    @Test
    void whatCannotBeLearnedFromIsRefused() {
        refuses("its label must be 0 or 1, got 0.5", Batches.row(0.5f, new float[] {1}, new long[] {}));
        refuses("its label must be 0 or 1, got NaN", Batches.row(Float.NaN, new float[] {1}, new long[] {}));
        refuses("its column label is null", Batches.row(null, new float[] {1}, new long[] {}));
        refuses("its column dense is null", Batches.row(1f, null, new long[] {}));
        refuses("its column categorical is null", Batches.row(1f, new float[] {1}, null));
        refuses("it must have 1 dense numbers, got 2", Batches.row(1f, new float[2], new long[] {}));
        refuses("its dense numbers must be finite, got Infinity", Batches.row(1f, new float[] {1 / 0f}, new long[] {}));
        refuses("its ids must be 0 to 9, got 10", Batches.row(1f, new float[1], new long[] {3, 10}));
        refuses("its ids must be 0 to 9, got -1", Batches.row(1f, new float[1], new long[] {-1}));
        refuses("its column categorical has a null", new GenericInternalRow(new Object[] {
            1f, new GenericArrayData(new float[1]), new GenericArrayData(new Object[] {3L, null})
        }));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new MiniBatches(Batches.rows(List.of()), 0, 1, TABLES))
                .withMessage("a batch must have at least 1 sample, got 0");
    }

    private static void refuses(String problem, InternalRow row) {
        InternalRow good = Batches.row(1f, new float[1], new long[] {3});
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new MiniBatches(List.of(good, row).iterator(), 5, 1, TABLES).next())
                .withMessage("sample 1 of the partition is invalid, " + problem + ": correct it or filter it out");
    }
}
