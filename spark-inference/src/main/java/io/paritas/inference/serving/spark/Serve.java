/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.http.HttpServer;
import io.paritas.inference.spark.SparkSetting;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.util.ShutdownHookManager;
import scala.runtime.BoxedUnit;

/**
 * The application that serves a model, for {@code spark-submit --class}; what it does is set by {@code spark.paritas.serving.*}.
 * It says on its standard output where it listens, then that it is ready, and ends when it is told to, after the queries that it
 * has.
 */
public final class Serve {
    /** What it says before the address. */
    public static final String LISTENS = "paritas listens on ";

    /** What it says when all instances are there. */
    public static final String READY = "paritas is ready";

    private static final Duration START_LIMIT = Duration.ofMinutes(3);

    private static final int BEFORE_SPARK = ShutdownHookManager.SPARK_CONTEXT_SHUTDOWN_PRIORITY() + 1;

    private Serve() {}

    /** Serves until the process is told to end. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        SparkConf conf = new SparkConf();
        ServingPlan plan = ServingPlan.of(conf);
        ServingSettings settings = new ServingSettings(conf);
        try (JavaSparkContext context = new JavaSparkContext(conf);
                FrontEnd frontEnd = new FrontEnd();
                Deployment deployment = new Deployment(context, frontEnd);
                HttpServer server =
                        new HttpServer(frontEnd, settings.http(), new Versions(conf, deployment, plan, START_LIMIT))) {
            System.out.println(LISTENS + server.url());
            deployment.deploy(plan);
            deployment.awaitReady(plan, START_LIMIT);
            Duration drain = settings.millis(SparkSetting.SERVING_DRAIN);
            // Before Spark's own hook, which takes the instances away.
            ShutdownHookManager.addShutdownHook(BEFORE_SPARK, () -> drain(server, drain));
            System.out.println(READY);
            new CountDownLatch(1).await();
        }
    }

    private static BoxedUnit drain(HttpServer server, Duration limit) {
        try {
            server.drain(limit);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return BoxedUnit.UNIT;
    }
}
