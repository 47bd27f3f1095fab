/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Many histories of a shuffle. Each has its number as its seed. One of them again: {@code ./mvnw -pl spark-ec -am test
 * -Dtest=ShuffleSimulationTest -Dsurefire.failIfNoSpecifiedTests=false -Dio.paritas.test.shuffleHistories.first=17
 * -Dio.paritas.test.shuffleHistories=1}; with more histories, {@code -Dio.paritas.test.shuffleHistories=100000}.
 */
class ShuffleSimulationTest {
    private static final int FIRST = Integer.getInteger("io.paritas.test.shuffleHistories.first", 0);
    private static final int HISTORIES = Integer.getInteger("io.paritas.test.shuffleHistories", 500);

    /** How much of a history a failure tells. */
    private static final int LINES = 60;

    @Test
    void whateverHappensOutputsAreSafeOrReportedAndNobodyWaitsForEver() {
        for (int seed = FIRST; seed < FIRST + HISTORIES; seed++) {
            play(seed);
        }
    }

    private static void play(int seed) {
        ShuffleSimulation simulation = new ShuffleSimulation(seed);
        try {
            simulation.play(20 + seed % 12 * 25);
        } catch (AssertionError | RuntimeException e) {
            List<String> history = simulation.history();
            String last = String.join("\n", history.subList(Math.max(0, history.size() - LINES), history.size()));
            throw new AssertionError("seed " + seed + ": " + e.getMessage() + "\nafter " + last, e);
        }
    }
}
