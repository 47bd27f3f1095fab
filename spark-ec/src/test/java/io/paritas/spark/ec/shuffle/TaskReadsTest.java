/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class TaskReadsTest {
    private final AtomicBoolean ended = new AtomicBoolean();
    private final AtomicBoolean come = new AtomicBoolean();
    private final TaskReads reads = new TaskReads(ended::get);

    /** It would hold up the decoding of blocks that come in no other way. */
    @Test
    void aBlockThatMayStillComeIsNotWaitedForLong() {
        TaskReads hedge = reads.unless(come::get).impatient();

        assertThat(reads.isPatient()).isTrue();
        assertThat(hedge.isPatient()).isFalse();
        assertThat(hedge.hasEnded()).isFalse();
        come.set(true);
        assertThat(hedge.hasEnded()).isTrue();
    }

    /** What Spark's client has failed with comes from the hedge, or not at all. */
    @Test
    void aBlockThatComesInNoOtherWayThanByDecodingIsWaitedFor() {
        assertThat(reads.unless(come::get).isPatient()).isTrue();
    }

    @Test
    void nobodyDecodesABlockThatHasCome() {
        TaskReads hedge = reads.unless(come::get);
        come.set(true);

        assertThat(hedge.hasEnded()).isTrue();
        assertThat(reads.hasEnded()).as("the task goes on").isFalse();
    }

    @Test
    void nobodyDecodesABlockOfATaskThatHasEnded() {
        TaskReads hedge = reads.unless(come::get);
        ended.set(true);

        assertThat(hedge.hasEnded()).isTrue();
    }
}
