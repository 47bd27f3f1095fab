/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ecrm.server.RecoveryPace;
import io.paritas.spark.ecrm.simulation.VirtualNetwork.Weather;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A seed gives the same history in every JVM. */
class FreshJvmTest {
    private static final int HISTORIES = 24;

    /** Prints the digests of histories in which a worker and a server die. */
    static final class Main {
        private Main() {}

        /** @param args how many objects get an identity hash first, so that those of the objects after them differ */
        public static void main(String[] args) {
            for (int object = Integer.parseInt(args[0]); object > 0; object--) {
                System.identityHashCode(new Object());
            }
            for (int seed = 0; seed < HISTORIES; seed++) {
                Random random = new Random(seed);
                Simulation simulation =
                        new Simulation(Script.of(5, 2, 3, 4, seed), Weather.STORM, new RecoveryPace(3, 2));
                simulation.runTo(random.nextInt(400));
                simulation.killWorker(random.nextInt(3));
                simulation.runTo(random.nextInt(400));
                simulation.killServer(random.nextInt(5));
                simulation.run();
                System.out.println(seed + ": " + simulation.digest());
            }
        }
    }

    private static String run(int objects) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        Integer.toString(objects))
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return output;
    }

    @Test
    void aSeedGivesTheSameHistoryInEveryJvm() throws Exception {
        String one = run(0);
        assertThat(one.lines()).hasSize(HISTORIES).allMatch(line -> line.matches("[0-9]+: -?[0-9]+"));
        assertThat(run(5)).isEqualTo(one);
    }
}
