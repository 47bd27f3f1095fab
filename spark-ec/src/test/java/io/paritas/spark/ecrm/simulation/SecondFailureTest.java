/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ecrm.placement.StripePlacement;
import io.paritas.spark.ecrm.server.RecoveryPace;
import io.paritas.spark.ecrm.server.ShardServer;
import io.paritas.spark.ecrm.simulation.VirtualNetwork.Weather;
import io.paritas.spark.ecrm.table.UnitId;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A second server dies before the first has recovered: what both had is reported as lost, and all else is exact. */
class SecondFailureTest {
    /** Two servers without a common block. */
    private static final int[][] PAIRS = {{0, 3}, {3, 0}, {2, 4}, {4, 3}, {0, 2}};

    @Test
    void losesExactlyWhatBothHad() {
        int some = 0;
        for (int seed = 0; seed < 120; seed++) {
            Script script = Script.of(5, 1 + seed % 4, 2, 4, seed);
            int[] pair = PAIRS[seed % PAIRS.length];
            try {
                Simulation simulation =
                        new Simulation(script, seed % 2 == 0 ? Weather.FAIR : Weather.STORM, new RecoveryPace(4, 1));
                Set<UnitId> lost = play(simulation, pair, new Random(seed));
                simulation.oracle.check(simulation.servers(), lost);
                some += lost.isEmpty() ? 0 : 1;
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
        assertThat(some).isGreaterThan(20);
    }

    private static Set<UnitId> play(Simulation simulation, int[] pair, Random random) {
        simulation.runTo(random.nextInt(200));
        simulation.killServer(pair[0]);
        ShardServer dead = simulation.server(pair[0]);
        for (int step = random.nextInt(250); step > 0; step--) {
            simulation.step();
        }
        simulation.killServer(pair[1]);
        ShardServer first = simulation.server(pair[0]);
        Set<UnitId> possible = new HashSet<>();
        StripePlacement placement = simulation.script().model().stripes();
        for (int table = 0; table < 2; table++) {
            for (long stripe = 0; stripe < first.shard(table).stripes(); stripe++) {
                int unit = placement.unitOn(pair[0], stripe);
                int other = placement.unitOn(pair[1], stripe);
                if (unit >= 0
                        && other >= 0
                        && (first == dead || first.shard(table).isMissing(stripe, unit))) {
                    possible.add(new UnitId(table, stripe, unit));
                    possible.add(new UnitId(table, stripe, other));
                }
            }
        }
        simulation.run();
        Set<UnitId> lost = lost(simulation, pair[0]);
        lost.addAll(lost(simulation, pair[1]));
        assertThat(possible).as("what neither had").containsAll(lost);
        for (ShardServer server : simulation.servers()) {
            assertThat(server.isRecovered()).isTrue();
        }
        assertThat(lost(simulation, pair[0])).hasSameSizeAs(lost(simulation, pair[1]));
        return lost;
    }

    private static Set<UnitId> lost(Simulation simulation, int number) {
        Set<UnitId> lost = new HashSet<>();
        for (int table = 0; table < 2; table++) {
            for (long stripe : simulation.server(number).lostStripes(table)) {
                int unit = simulation.script().model().stripes().unitOn(number, stripe);
                assertThat(simulation.server(number).shard(table).isMissing(stripe, unit))
                        .isTrue();
                lost.add(new UnitId(table, stripe, unit));
            }
        }
        return lost;
    }
}
