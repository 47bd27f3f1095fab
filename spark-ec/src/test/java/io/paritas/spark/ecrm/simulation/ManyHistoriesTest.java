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
 * Many histories in which servers, workers or both die, at any times and in any weather. For more of them: {@code
 * ./mvnw -pl spark-ec -am test -Dtest=ManyHistoriesTest -Dsurefire.failIfNoSpecifiedTests=false
 * -Dio.paritas.test.histories=100000}. Each has its number as its seed; {@code -Dio.paritas.test.histories.first} is the
 * first one.
 */
class ManyHistoriesTest {
    private static final int FIRST = Integer.getInteger("io.paritas.test.histories.first", 0);
    private static final int HISTORIES = Integer.getInteger("io.paritas.test.histories", 400);
    private static final List<Weather> WEATHERS =
            List.of(Weather.FAIR, Weather.STORM, Weather.CUTS, Weather.CUTS, Weather.ECHOES);

    /** What goes wrong in a history. */
    private enum Disaster {
        A_SERVER {
            @Override
            void strike(Simulation simulation, Random random) {
                killServer(simulation, random);
            }
        },
        A_WORKER {
            @Override
            void strike(Simulation simulation, Random random) {
                simulation.killWorker(random.nextInt(WORKERS));
            }
        },
        A_WORKER_THEN_A_SERVER {
            @Override
            void strike(Simulation simulation, Random random) {
                simulation.killWorker(random.nextInt(WORKERS));
                simulation.runTo(random.nextInt(600));
                killServer(simulation, random);
            }
        },
        BOTH_AT_ONCE {
            @Override
            void strike(Simulation simulation, Random random) {
                simulation.killWorker(random.nextInt(WORKERS));
                killServer(simulation, random);
            }
        },
        A_SERVER_IN_A_PAUSE {
            @Override
            void strike(Simulation simulation, Random random) {
                simulation.runUntilHealthy(0);
                simulation.pause();
                simulation.steps(random.nextInt(100));
                killServer(simulation, random);
            }
        },
        /** What both had is lost. Then all go back to the state of the pause. */
        TWO_SERVERS_AFTER_A_PAUSE {
            @Override
            void strike(Simulation simulation, Random random) {
                simulation.think(60);
                simulation.runUntilHealthy(0);
                simulation.pause();
                while (simulation.pauses() == 0 || !simulation.isResumed()) {
                    simulation.step();
                }
                simulation.steps(random.nextInt(150));
                killServer(simulation, random);
                simulation.steps(random.nextInt(200));
                killServer(simulation, random);
                if (random.nextInt(4) == 0) {
                    simulation.killWorker(random.nextInt(WORKERS));
                }
            }
        };

        abstract void strike(Simulation simulation, Random random);

        private static void killServer(Simulation simulation, Random random) {
            simulation.killServer(random.nextInt(simulation.script().model().servers()));
        }
    }

    private static final int WORKERS = 3;

    /** Returns how often workers were told to go back. */
    private static int play(int seed, Redundancy redundancy, int servers) {
        Script script = Script.of(servers, redundancy, WORKERS, 5, seed);
        Random random = new Random(seed);
        Disaster disaster = Disaster.values()[random.nextInt(Disaster.values().length)];
        Weather weather = WEATHERS.get(random.nextInt(WEATHERS.size()));
        try {
            Simulation simulation = new Simulation(script, weather, new RecoveryPace(3, 2));
            simulation.runTo(random.nextInt(500));
            disaster.strike(simulation, random);
            simulation.run();
            simulation.check();
            simulation.checkTold();
            assertThat(simulation.losses()).isZero();
            return simulation.told();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(redundancy + ", " + disaster + ", " + weather + ", seed " + seed, e);
        }
    }

    @Test
    void ofTwoPhases() {
        int told = 0;
        for (int seed = FIRST; seed < FIRST + HISTORIES; seed++) {
            int servers = 3 + seed % 4;
            told += play(seed, Redundancy.coded(1 + seed % (servers - 1)), servers);
        }
        assertThat(told).isGreaterThanOrEqualTo(HISTORIES / 100);
    }

    @Test
    void ofOnePhase() {
        int told = 0;
        for (int seed = FIRST; seed < FIRST + HISTORIES; seed++) {
            int servers = 3 + seed % 4;
            told += play(seed, Redundancy.coded(1 + seed % (servers - 1)).onePhase(), servers);
        }
        assertThat(told).isGreaterThanOrEqualTo(HISTORIES / 100);
    }

    /** With two parities and three replicas, nobody goes back unless a third server is lost. */
    @Test
    void ofTwoParities() {
        for (int seed = FIRST; seed < FIRST + HISTORIES; seed++) {
            int servers = 3 + seed % 5;
            Redundancy redundancy = Redundancy.coded(1 + seed % (servers - 2), 2);
            assertThat(play(seed, redundancy, servers)).as("seed " + seed).isZero();
            assertThat(playTwo(seed, redundancy, servers)).as("seed " + seed).isZero();
        }
    }

    /** Two servers die, one soon after the other or both at once; perhaps a worker, too. */
    private static int playTwo(int seed, Redundancy redundancy, int servers) {
        Script script = Script.of(servers, redundancy, WORKERS, 5, seed);
        Random random = new Random(seed);
        Weather weather = WEATHERS.get(random.nextInt(WEATHERS.size()));
        try {
            Simulation simulation = new Simulation(script, weather, new RecoveryPace(3, 2));
            simulation.runTo(random.nextInt(500));
            int first = random.nextInt(servers);
            int second = (first + 1 + random.nextInt(servers - 1)) % servers;
            if (random.nextInt(3) == 0) {
                simulation.killWorker(random.nextInt(WORKERS));
            }
            simulation.killServer(first);
            simulation.steps(random.nextBoolean() ? 0 : random.nextInt(250));
            simulation.killServer(second);
            simulation.run();
            simulation.check();
            assertThat(simulation.losses()).isZero();
            return simulation.told();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(redundancy + ", two servers, " + weather + ", seed " + seed, e);
        }
    }
}
