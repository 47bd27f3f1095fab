/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.Outcome;
import io.paritas.inference.serving.Simulation.Plan;
import io.paritas.inference.serving.Simulation.Result;
import io.paritas.inference.serving.Simulation.Trouble;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What policies do to the tail, with a simulated clock: the numbers are those of any machine. */
class SimulationTest {
    private static final Policy CODED = Simulation.coded(2, Duration.ofMillis(2));
    private static final Policy EQUAL = new Policy.Uncoded();

    private static Result run(Policy policy, Trouble trouble) {
        return Simulation.run(new Plan(policy, trouble, 20_000, 500, 1));
    }

    /** With patience, a reconstruction is for slow hosts, not for queries whose prediction is about to be read. */
    @ParameterizedTest
    @EnumSource(names = {"NONE", "STALLS"})
    void withNobodySlowAlmostNothingIsReconstructed(Trouble trouble) {
        assertThat(run(CODED, trouble).share(Outcome.RECONSTRUCTED)).isLessThan(0.01);
    }

    @Test
    void slowHostsAreAvoidedByAllPolicies() {
        Result equal = run(EQUAL, Trouble.SLOW_PAIR);
        Result coded = run(CODED, Trouble.SLOW_PAIR);

        assertThat(equal.p99()).isLessThan(4);
        assertThat(equal.p999()).isLessThan(7);
        assertThat(coded.p999()).isLessThan(0.8 * equal.p999());
        assertThat(coded.share(Outcome.RECONSTRUCTED)).isLessThan(0.02);
    }

    /** Copies at a fixed percentile cost more than they gain when most instances are busy. */
    @Test
    void hedgesThatFollowTheLoadGiveWayToQueries() {
        Result fixed = busy(new Policy.Hedged(80, Duration.ofMillis(2)));
        Result adaptive = busy(new Policy.Hedged(0, Duration.ofMillis(2)));

        assertThat(adaptive.p50()).isLessThan(fixed.p50());
        assertThat(adaptive.p99()).isLessThan(fixed.p99());
    }

    private static Result busy(Policy policy) {
        return Simulation.run(new Plan(policy, Trouble.NONE, 20_000, 3_500, 1));
    }

    /** At each load, auto has about the tail of the policy that is best there, and far from that of the worst. */
    @Test
    void autoFollowsTheLoad() {
        Policy auto = new Policy.Auto(Duration.ofMillis(2));
        Policy hedged = new Policy.Hedged(0, Duration.ofMillis(2));
        Policy replicated = new Policy.Replicated(2);

        assertThat(at(250, auto).p999()).isLessThan(1.1 * at(250, replicated).p999());
        assertThat(at(250, auto).p999()).isLessThan(0.85 * at(250, hedged).p999());
        assertThat(at(1_500, auto).p999()).isLessThan(1.05 * at(1_500, hedged).p999());
        assertThat(at(1_500, auto).p999())
                .isLessThan(0.5 * at(1_500, replicated).p999());
        assertThat(at(3_000, auto).p999()).isLessThan(1.05 * at(3_000, EQUAL).p999());
    }

    private static Result at(int rate, Policy policy) {
        return Simulation.run(new Plan(policy, Trouble.SLOW_HOST, 20_000, rate, 1));
    }
}
