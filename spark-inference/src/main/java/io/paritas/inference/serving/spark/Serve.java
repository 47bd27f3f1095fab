/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.http.HttpServer;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.util.ShutdownHookManager;
import scala.runtime.BoxedUnit;

/**
 * The Spark application that serves a model, for {@code spark-submit --class}, with the settings {@code spark.paritas.serving.*}.
 * It prints the address that it listens on, then that it is ready. A signal ends it, after its queries have their replies.
 */
public final class Serve {
    /** Printed before the address. */
    public static final String LISTENS = "paritas listens on ";

    /** Printed when all instances are ready. */
    public static final String READY = "paritas is ready";

    private static final Duration START_LIMIT = Duration.ofMinutes(3);

    private static final int BEFORE_SPARK = ShutdownHookManager.SPARK_CONTEXT_SHUTDOWN_PRIORITY() + 1;

    private Serve() {}

    /** Serves until the process gets a signal to end. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        SparkConf conf = new SparkConf();
        ServingPlan plan = ServingPlan.of(conf);
        ServingConf settings = new ServingConf(conf);
        try (JavaSparkContext context = new JavaSparkContext(conf);
                FrontEnd frontEnd = new FrontEnd();
                Deployment deployment = new Deployment(context, frontEnd);
                HttpServer server =
                        new HttpServer(frontEnd, settings.http(), new Versions(conf, deployment, plan, START_LIMIT))) {
            System.out.println(LISTENS + server.url());
            deployment.deploy(plan);
            deployment.awaitReady(plan, START_LIMIT);
            Duration drain = settings.get(ServingSettings.DRAIN);
            // Before Spark's own hook, which ends the instances.
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
