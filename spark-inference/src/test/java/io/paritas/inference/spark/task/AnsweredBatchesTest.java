/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class AnsweredBatchesTest {
    private final List<String> events = new ArrayList<>();

    private static Iterator<AnsweredBatch> answered(int batches) {
        return AnsweredBatches.of(
                LongStream.range(0, batches)
                        .mapToObj(group -> new Batch(group, 0, null, PackedRows.NONE, ByteBuffer.allocate(0)))
                        .iterator(),
                batch -> Answers.predicted(1, new float[] {batch.group()}));
    }

    @Test
    void theEndComesOnceAfterTheLast() {
        Iterator<AnsweredBatch> batches = AnsweredBatches.then(answered(2), () -> events.add("end"));
        assertThat(batches.next().answers().prediction(0)).containsExactly(0);
        assertThat(batches.next().answers().prediction(0)).containsExactly(1);
        assertThat(events).isEmpty();
        assertThat(batches.hasNext()).isFalse();
        assertThat(batches.hasNext()).isFalse();
        assertThatThrownBy(batches::next).isInstanceOf(NoSuchElementException.class);
        assertThat(events).containsExactly("end");
    }

    @Test
    void theEndOfNoneComesToo() {
        assertThat(AnsweredBatches.then(answered(0), () -> events.add("end")).hasNext())
                .isFalse();
        assertThat(events).containsExactly("end");
    }

    @Test
    void anEndThatFailsIsNotRepeated() {
        Iterator<AnsweredBatch> batches = AnsweredBatches.then(answered(0), () -> {
            events.add("end");
            throw new IllegalStateException("on purpose");
        });
        assertThatThrownBy(batches::hasNext).hasMessage("on purpose");
        assertThat(batches.hasNext()).isFalse();
        assertThat(events).containsExactly("end");
    }

    @Test
    void whatIsNotTakenIsNotAnswered() {
        Iterator<AnsweredBatch> batches = AnsweredBatches.recorded(answered(2), block -> events.add("end"));
        batches.next();
        assertThat(batches.hasNext()).isTrue();
        assertThat(events).isEmpty();
    }
}
