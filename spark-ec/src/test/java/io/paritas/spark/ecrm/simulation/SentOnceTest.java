/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.CommitMessage.Stage;
import io.paritas.spark.ecrm.server.RecoveryPace;
import io.paritas.spark.ecrm.simulation.VirtualNetwork.Weather;
import io.paritas.spark.ecrm.table.Redundancy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Where no message is lost, gradients go to each server once, however often their push is delayed or refused. */
class SentOnceTest {
    /** @param age when the push began */
    private record Sent(Address worker, Address server, long age) {}

    private interface Story {
        void tell(Simulation simulation, Random random);
    }

    /** Returns how often gradients were sent. */
    private static int play(Script script, Story story) {
        try {
            Simulation simulation = new Simulation(script, Weather.FAIR, new RecoveryPace(3, 2));
            Map<Sent, Integer> sent = new HashMap<>();
            simulation.drop(envelope -> {
                if (envelope.message() instanceof Stage stage) {
                    sent.merge(new Sent(envelope.from(), envelope.to(), stage.age()), 1, Integer::sum);
                }
                return false;
            });
            story.tell(simulation, new Random(script.seed()));
            simulation.run();
            simulation.check();
            assertThat(sent.values()).containsOnly(1);
            return sent.size();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(script.model().redundancy() + ", seed " + script.seed(), e);
        }
    }

    @Test
    void throughPauses() {
        List<Redundancy> modes =
                List.of(Redundancy.coded(2), Redundancy.coded(2).onePhase(), Redundancy.none());
        int pushes = 0;
        for (int seed = 0; seed < 60; seed++) {
            Script script = Script.of(4, modes.get(seed % 3), 4, 4, seed);
            pushes += play(script, (simulation, random) -> {
                while (simulation.isTraining()) {
                    for (int step = random.nextInt(150); step > 0; step--) {
                        simulation.step();
                    }
                    simulation.pause();
                    while (!simulation.isResumed()) {
                        simulation.step();
                    }
                }
            });
        }
        assertThat(pushes).isGreaterThan(60 * 16);
    }

    @Test
    void whileRangesAreClosed() {
        for (int seed = 0; seed < 60; seed++) {
            Script script = Script.of(5, 1 + seed % 4, 4, 6, seed);
            play(script, (simulation, random) -> {
                simulation.runTo(random.nextInt(300));
                simulation.killServer(random.nextInt(5));
            });
        }
    }
}
