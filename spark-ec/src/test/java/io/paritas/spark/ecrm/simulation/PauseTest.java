/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ecrm.server.RecoveryPace;
import io.paritas.spark.ecrm.simulation.VirtualNetwork.Weather;
import io.paritas.spark.ecrm.table.Redundancy;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Servers pause for a checkpoint while workers train: their state then is that of some iterations, which include all
 * acknowledged ones. Without redundancy, all servers go back to it when one fails.
 */
class PauseTest {
    private static final RecoveryPace PACE = new RecoveryPace(3, 2);
    private static final List<Redundancy> MODES = List.of(
            Redundancy.coded(2),
            Redundancy.replicated(),
            Redundancy.coded(3),
            Redundancy.coded(2).onePhase(),
            Redundancy.coded(2).oneReplicaOfBlocks(),
            Redundancy.none());

    private interface Story {
        void tell(Simulation simulation, Random random);
    }

    private static Simulation play(Script script, Story story) {
        Weather weather = script.seed() % 3 == 0 ? Weather.FAIR : Weather.STORM;
        try {
            Simulation simulation = new Simulation(script, weather, PACE);
            story.tell(simulation, new Random(script.seed()));
            simulation.run();
            simulation.check();
            simulation.checkTold();
            return simulation;
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(script.model().redundancy() + ", seed " + script.seed(), e);
        }
    }

    @Test
    void whatIsThereInAPauseBelongsTogether() {
        int pauses = 0;
        for (int seed = 0; seed < 180; seed++) {
            Script script = Script.of(4, MODES.get(seed % MODES.size()), 5, 4, seed);
            pauses += play(script, (simulation, random) -> {
                        while (simulation.isTraining()) {
                            simulation.steps(random.nextInt(150));
                            simulation.pause();
                            while (!simulation.isResumed()) {
                                simulation.step();
                            }
                        }
                    })
                    .pauses();
        }
        assertThat(pauses).isGreaterThan(180);
    }

    /** Before, during or after the pause: there may be no checkpoint then, but training goes on. */
    @Test
    void aServerMayDieInAPause() {
        int pauses = 0;
        for (int seed = 0; seed < 60; seed++) {
            Script script = Script.of(4, Redundancy.coded(1 + seed % 3), 3, 4, seed);
            pauses += play(script, (simulation, random) -> {
                        simulation.steps(random.nextInt(50));
                        pause(simulation);
                        simulation.steps(random.nextInt(150));
                        simulation.killServer(random.nextInt(4));
                    })
                    .pauses();
        }
        assertThat(pauses).isBetween(5, 55);
    }

    @Test
    void withoutRedundancyAllGoBack() {
        int told = 0;
        for (int seed = 0; seed < 80; seed++) {
            Script script = Script.of(3 + seed % 3, Redundancy.none(), 3, 6, seed);
            told += play(script, (simulation, random) -> {
                        simulation.think(60);
                        for (int time = 0; time < 2; time++) {
                            simulation.steps(random.nextInt(60));
                            goBack(simulation, random);
                        }
                    })
                    .told();
        }
        assertThat(told).isGreaterThan(200);
    }

    private static void pause(Simulation simulation) {
        simulation.runUntilHealthy(0);
        simulation.pause();
    }

    private static void goBack(Simulation simulation, Random random) {
        int pauses = simulation.pauses();
        pause(simulation);
        while (simulation.pauses() == pauses || !simulation.isResumed()) {
            simulation.step();
        }
        simulation.steps(random.nextInt(80));
        simulation.killServer(random.nextInt(simulation.script().model().servers()));
        simulation.runUntilHealthy(1);
    }
}
