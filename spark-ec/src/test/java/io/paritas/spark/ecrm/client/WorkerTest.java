/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.spark.ecrm.protocol.CommitMessage.Stage;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.table.Initializer;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Parity;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.table.TableSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a worker of four servers sends and refuses. */
class WorkerTest {
    private static final Timing TIMING = new Timing(20, 200, 3);
    private final List<Envelope> sent = new ArrayList<>();

    private Worker worker(Redundancy redundancy) {
        ModelSpec model = new ModelSpec(
                4,
                redundancy,
                List.of(new TableSpec(8, 2, new Optimizer.Adagrad(0.1f, 1e-6f), new Initializer(0, 0, 0))),
                List.of());
        return new Worker(model, 7, View.of(Collections.nCopies(4, "")), TIMING, sent::add);
    }

    private static List<RowGradients> ofRow3(float gradient) {
        return List.of(new RowGradients(0, new long[] {1, 3}, new float[] {1, 1, 1, gradient}));
    }

    private int staged() {
        return (int) sent.stream()
                .filter(envelope -> envelope.message() instanceof Stage)
                .count();
    }

    /** With them, the rows beside it would be decoded as NaN. */
    @Test
    void gradientsThatNoSumCanTakeAreRefused() {
        Redundancy sum = Redundancy.coded(2).parity(Parity.SUM);
        for (float gradient : new float[] {1e20f, -1e20f, Math.nextUp(0x1p40f), Float.NaN, Float.NEGATIVE_INFINITY}) {
            assertThatThrownBy(() -> worker(sum).push(ofRow3(gradient), List.of(), 0))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("gradients must be from -2^40 to 2^40 if the parity is a sum, got " + gradient
                            + " for row 3 of table 0: choose Parity.XOR");
        }
        assertThat(sent).isEmpty();
        worker(sum).push(ofRow3(-0x1p40f), List.of(), 0);
        worker(Redundancy.coded(2)).push(ofRow3(1e20f), List.of(), 0);
        assertThat(staged()).isEqualTo(4);
    }
}
