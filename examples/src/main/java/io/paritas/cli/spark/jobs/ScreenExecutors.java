/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark.jobs;

import io.paritas.cli.screen.ScreenText;
import io.paritas.inference.spark.screen.ExecutorScreen;
import io.paritas.inference.spark.screen.ExecutorScreen.Screened;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.spark.sql.SparkSession;

/**
 * Looks for processors that compute wrong values on every executor, as {@code paritas screen} does on one machine.
 *
 * <pre>
 * spark-submit --jars "$(bin/paritas spark-jars)" \
 *     --class io.paritas.cli.spark.jobs.ScreenExecutors examples/target/paritas-examples-0.1.0-SNAPSHOT.jar 600
 * </pre>
 *
 * <p>The argument is how many seconds each executor computes, all at the same time. Each exercises all processors that its JVM may
 * use: run it on an idle cluster. The exit status is 1 if one was wrong.
 */
public final class ScreenExecutors {
    private ScreenExecutors() {}

    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 1 || !arguments[0].matches("[1-9][0-9]{0,6}")) {
            throw new IllegalArgumentException(
                    "the argument is the number of SECONDS, at least 1; got " + List.of(arguments));
        }
        boolean wrong = false;
        try (SparkSession spark = SparkSession.builder().getOrCreate()) {
            Duration time = Duration.ofSeconds(Long.parseLong(arguments[0]));
            for (Screened executor : ExecutorScreen.run(spark.sparkContext(), time)) {
                System.out.println("executor " + executor.executor() + " on " + executor.host());
                executor.processors().forEach(processor -> System.out.print(ScreenText.of(processor)));
                wrong |= executor.isWrong();
            }
        }
        if (wrong) {
            System.exit(1);
        }
    }
}
