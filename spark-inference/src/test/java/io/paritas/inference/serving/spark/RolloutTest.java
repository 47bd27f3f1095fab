/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.serving.spark.Rollout.Instances;
import io.paritas.inference.serving.spark.Rollout.State;
import io.paritas.inference.serving.spark.Rollout.Step;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RolloutTest {
    private static final int MOST = 4;

    /** A cluster in which an instance is ready when it is waited for. */
    private static final class Cluster {
        private final Rollout rollout;
        private final int slots;
        private Instances former;
        private Instances started = new Instances(0, 0);
        private Instances ready = new Instances(0, 0);
        private int fewest;
        private final List<Step> steps = new ArrayList<>();

        Cluster(Instances before, Instances after, int slots) {
            this.rollout = new Rollout(before, after);
            this.slots = slots;
            this.former = before;
            this.fewest = before.deployed();
        }

        Step run() {
            Step step = rollout.step(state());
            while (step != Step.DONE && step != Step.REFUSE) {
                steps.add(step);
                assertThat(steps).as("steps of %s", this).hasSizeLessThan(100);
                take(step);
                assertThat(former.all() + started.all()).as("used by %s", this).isLessThanOrEqualTo(slots);
                int serving = former.deployed() + ready.deployed();
                fewest = Math.min(fewest, serving);
                step = rollout.step(state());
            }
            return step;
        }

        private State state() {
            return new State(former, started, ready, slots);
        }

        private void take(Step step) {
            switch (step) {
                case START_DEPLOYED -> started = new Instances(started.deployed() + 1, started.others());
                case START_OTHER -> started = new Instances(started.deployed(), started.others() + 1);
                case STOP_OTHER -> former = new Instances(former.deployed(), former.others() - 1);
                case STOP_DEPLOYED -> former = new Instances(former.deployed() - 1, former.others());
                case SWITCH -> former = new Instances(0, 0);
                case WAIT -> ready = started;
                case DONE, REFUSE -> throw new AssertionError(step);
            }
        }

        @Override
        public String toString() {
            return rollout + " in " + slots + " slots: " + steps;
        }
    }

    /** A model with a parity model on a cluster that has a slot for each instance and no more: the default of serving. */
    @Test
    void aFullClusterExchangesParitiesFirstAndLast() {
        Cluster cluster = new Cluster(new Instances(2, 1), new Instances(2, 1), 3);

        assertThat(cluster.run()).isEqualTo(Step.DONE);
        assertThat(cluster.steps)
                .containsExactly(
                        Step.STOP_OTHER,
                        Step.START_DEPLOYED,
                        Step.WAIT,
                        Step.STOP_DEPLOYED,
                        Step.START_DEPLOYED,
                        Step.WAIT,
                        Step.SWITCH,
                        Step.START_OTHER,
                        Step.WAIT);
        assertThat(cluster.fewest).isEqualTo(2);
    }

    @Test
    void whereThereIsRoomForBothNothingEndsBeforeAllIsReady() {
        Cluster cluster = new Cluster(new Instances(2, 1), new Instances(2, 1), 6);

        assertThat(cluster.run()).isEqualTo(Step.DONE);
        assertThat(cluster.steps)
                .containsExactly(Step.START_DEPLOYED, Step.START_DEPLOYED, Step.START_OTHER, Step.WAIT, Step.SWITCH);
    }

    /** All sizes, in all numbers of slots: it ends, and as many serve as before if a slot is not the deployed model's. */
    @Test
    void everyReplacementEndsOrIsRefusedAtOnceAndKeepsItsCapacity() {
        for (int deployed = 1; deployed <= MOST; deployed++) {
            for (int others = 0; others <= MOST; others++) {
                for (int after = 1; after <= MOST; after++) {
                    for (int othersAfter = 0; othersAfter <= MOST; othersAfter++) {
                        check(new Instances(deployed, others), new Instances(after, othersAfter));
                    }
                }
            }
        }
    }

    private static void check(Instances before, Instances after) {
        for (int slots = Math.max(before.all(), after.all()); slots <= 4 * MOST + 1; slots++) {
            Cluster cluster = new Cluster(before, after, slots);
            boolean enough = slots >= cluster.rollout.slots();

            assertThat(cluster.run()).as("end of %s", cluster).isEqualTo(enough ? Step.DONE : Step.REFUSE);
            if (enough) {
                assertThat(cluster.ready).as("instances of %s", cluster).isEqualTo(after);
                int kept = Math.min(before.deployed(), after.deployed());
                assertThat(cluster.fewest)
                        .as("deployed instances of %s", cluster)
                        .isGreaterThanOrEqualTo(slots > before.deployed() ? kept : kept - 1)
                        .isPositive();
            } else {
                assertThat(cluster.steps).as("steps of %s", cluster).isEmpty();
            }
        }
    }

    @Test
    void theOnlyInstanceOnTheOnlySlotStays() {
        Rollout rollout = new Rollout(new Instances(1, 0), new Instances(1, 0));

        assertThat(rollout.slots()).isEqualTo(2);
    }

    /** Another job took the slot that was free: what was started there gets one of the former version's. */
    @Test
    void anInstanceWithoutASlotIsMadeRoomFor() {
        Rollout rollout = new Rollout(new Instances(2, 1), new Instances(2, 1));
        Instances started = new Instances(1, 0);
        Instances none = new Instances(0, 0);

        assertThat(rollout.step(new State(new Instances(2, 1), started, none, 3)))
                .isEqualTo(Step.STOP_OTHER);
        assertThat(rollout.step(new State(new Instances(2, 0), started, none, 3)))
                .isEqualTo(Step.WAIT);
    }
}
