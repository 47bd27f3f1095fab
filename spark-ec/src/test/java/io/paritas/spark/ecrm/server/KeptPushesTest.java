/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ecrm.protocol.BlockGradient;
import io.paritas.spark.ecrm.protocol.CommitMessage.Stage;
import io.paritas.spark.ecrm.protocol.ExpectedRow;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.protocol.TxId;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeptPushesTest {
    private final KeptPushes kept = new KeptPushes(1000);

    /** Returns updates of 4 bytes for each float. */
    private static Stage stage(int worker, long sequence, int floats) {
        return new Stage(
                new TxId(worker, sequence, 1),
                0,
                List.of(),
                List.of(new BlockGradient(0, new float[floats])),
                List.of(),
                new int[0]);
    }

    @Test
    void givesUpdatesOfThePushThatIsAskedForOnce() {
        Stage one = stage(1, 5, 10);
        Stage two = stage(2, 7, 20);
        kept.keep(one, 0);
        kept.keep(two, 0);
        assertThat(kept.bytes()).isEqualTo(120);
        assertThat(kept.take(1, 4)).contains(one);
        assertThat(kept.take(1, 4)).isEmpty();
        assertThat(kept.take(2, 8)).as("those of an earlier push").isEmpty();
        assertThat(kept.bytes()).isZero();
    }

    @Test
    void keepsTheLastUpdatesOfEachWorkerInOrderOfArrival() {
        Stage other = stage(2, 0, 10);
        Stage last = stage(1, 6, 20);
        kept.keep(stage(1, 5, 10), 0);
        kept.keep(other, 0);
        kept.keep(last, 0);
        kept.keep(stage(2, 0, 10), 0);
        assertThat(kept.bytes()).isEqualTo(120);
        assertThat(kept.takeAll()).containsExactly(other, last);
        assertThat(kept.takeAll()).isEmpty();
        assertThat(kept.bytes()).isZero();
    }

    @Test
    void dropsTheOldestWhereTheyTakeTooMuchMemory() {
        kept.keep(stage(1, 0, 100), 0);
        kept.keep(stage(2, 0, 100), 0);
        kept.keep(stage(3, 0, 100), 0);
        assertThat(kept.bytes()).isEqualTo(800);
        kept.keep(stage(4, 0, 251), 0);
        assertThat(kept.take(4, 0)).as("more than all may take").isEmpty();
        assertThat(kept.takeAll()).extracting(stage -> stage.tx().worker()).containsExactly(2, 3);
    }

    @Test
    void dropsWhatNobodyHasAskedForForLong() {
        kept.keep(stage(1, 0, 1), 10);
        kept.keep(stage(2, 0, 1), 10);
        kept.asked(2, 20);
        kept.dropBefore(20);
        assertThat(kept.takeAll()).extracting(stage -> stage.tx().worker()).containsExactly(2);
    }

    @Test
    void countsAllThatIsSent() {
        Stage stage = new Stage(
                new TxId(1, 2, 3),
                0,
                List.of(new RowGradients(0, new long[3], new float[6])),
                List.of(new BlockGradient(0, new float[5])),
                List.of(new ExpectedRow(0, 1, new float[2])),
                new int[0]);
        assertThat(stage.bytes()).isEqualTo(3 * 8 + 6 * 4 + 5 * 4 + 8 + 2 * 4);
    }
}
