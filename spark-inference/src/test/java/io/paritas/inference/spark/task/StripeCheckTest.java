/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.Outcome;
import io.paritas.inference.parity.Combinations;
import io.paritas.inference.parity.Encoding;
import io.paritas.inference.parity.InputRange;
import io.paritas.inference.parity.ParityPlan;
import io.paritas.inference.parity.ResidualBound;
import io.paritas.inference.parity.Target;
import io.paritas.inference.screen.RecentBatches;
import io.paritas.inference.screen.Suspect;
import io.paritas.inference.spark.driver.LatePolicy;
import io.paritas.inference.spark.driver.Layout;
import io.paritas.inference.spark.driver.Layout.Placement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A stripe of groups with rows (group, row); a parity answers their sum, and half more, as a trained one may. */
class StripeCheckTest {
    private static final int K = 2;
    private static final int GROUPS = 6;
    private static final int ROWS = 5;

    private final int id = Fixtures.spark().newRddId();
    private final RecentBatches recent = new RecentBatches(1);

    private static CodingSpec coding(Placement placement) {
        return new CodingSpec(
                new ParityPlan(new Combinations(K, 1), Encoding.ADDITION, Target.OUTPUTS),
                List.of(1),
                InputRange.FINITE,
                List.of(),
                Map.of(),
                new Layout(K, 1, 2 * (K + 1), placement, 1),
                new LatePolicy(1.25, Duration.ZERO),
                new ResidualBound.Calibrated(K, List.of(1.0)));
    }

    /** The predictions of the second stripe; those of a slot, a group and a row are off. */
    private void put(PredictionStore store, Layout layout, int wrongSlot, int wrongGroup, int wrongRow) {
        GroupShape shape = GroupShape.even(K, ROWS);
        for (int place = 0; place <= K; place++) {
            PredictionStore.Block data = new PredictionStore.Block();
            PredictionStore.Block parity = new PredictionStore.Block();
            for (int group = 0; group < GROUPS; group++) {
                int rotation = layout.placement() == Placement.ROTATED ? group : 0;
                int slot = Math.floorMod(place - rotation, K + 1);
                Answers answers = new Answers(slot < K ? shape.rows(slot) : shape.height(), 2);
                for (int row = 0; row < answers.rows(); row++) {
                    float off = slot == wrongSlot && group == wrongGroup && row == wrongRow ? 2 : 0;
                    float[] values =
                            slot < K ? new float[] {group, row + off} : new float[] {K * group + 0.5f, K * row};
                    answers.set(row, values, Outcome.PREDICTED);
                }
                if (slot < K) {
                    data.add(group, answers);
                } else {
                    parity.add(group, answers.of(shape));
                }
            }
            store.put(store.computed(K + 1 + place), data);
            store.put(store.parity(K + 1 + place, 0), parity);
        }
    }

    @ParameterizedTest
    @EnumSource
    void groupsThatDoNotFitAreSuspect(Placement placement) {
        CodingSpec coding = coding(placement);
        PredictionStore store = new PredictionStore(id, coding.layout());
        put(store, coding.layout(), 1, 4, 1);

        new StripeCheck(coding, store).run(1, recent);

        RecentBatches.Compared compared = recent.take();
        assertThat(compared.groups()).as("full groups").isEqualTo(GROUPS * (ROWS / K));
        assertThat(compared.suspects()).containsExactly(new Suspect(id, 4, List.of(1)));
        assertThat(compared.found()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void soundGroupsAreNot(Placement placement) {
        CodingSpec coding = coding(placement);
        PredictionStore store = new PredictionStore(id, coding.layout());
        put(store, coding.layout(), -1, 0, 0);

        new StripeCheck(coding, store).run(1, recent);

        assertThat(recent.take())
                .isEqualTo(new RecentBatches.Compared(GROUPS * (ROWS / K), GROUPS * (K + 1), 0, List.of()));
    }

    @Test
    void whatIsNotThereIsNotCompared() {
        CodingSpec coding = coding(Placement.ROTATED);
        PredictionStore store = new PredictionStore(id, coding.layout());
        put(store, coding.layout(), 0, 0, 0);
        store.remove(store.computed(K + 1));

        new StripeCheck(coding, store).run(1, recent);

        RecentBatches.Compared compared = recent.take();
        assertThat(compared.groups())
                .as("groups whose parity was in the segment that is gone")
                .isEqualTo(GROUPS / (K + 1) * (ROWS / K));
        new StripeCheck(coding, store).run(0, recent);
        assertThat(recent.take().groups()).isZero();
    }
}
