/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.UnknownModelException;
import io.paritas.inference.serving.grpc.GrpcServer;
import io.paritas.inference.serving.http.HttpOptions;
import io.paritas.inference.serving.http.HttpServer;
import io.paritas.inference.serving.trace.TraceOptions;
import io.paritas.inference.serving.trace.Traces;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.util.ShutdownHookManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.runtime.BoxedUnit;

/**
 * The Spark application that serves one or several models, for {@code spark-submit --class}, with the settings {@code spark.paritas.serving.*}.
 * It prints the address that it listens on, then that it is ready. A signal ends it, after its queries have their replies. It also ends,
 * with an error, when Spark does; and with the argument {@value #UNTIL_END_OF_INPUT} at once at the end of its standard input, so that it
 * does not outlive a program that has started it and is killed.
 */
public final class Serve {
    /** Printed before the address. */
    public static final String LISTENS = "paritas listens on ";

    /** Printed before the target of gRPC, if it is served. */
    public static final String LISTENS_FOR_GRPC = "paritas listens for gRPC on ";

    /** Printed when all instances are ready. */
    public static final String READY = "paritas is ready";

    /** The argument that makes it end with its standard input. */
    public static final String UNTIL_END_OF_INPUT = "--until-end-of-input";

    private static final Logger LOG = LoggerFactory.getLogger(Serve.class);
    private static final long POLL_MILLIS = 200;
    private static final Duration START_LIMIT = Duration.ofMinutes(3);

    private static final int BEFORE_SPARK = ShutdownHookManager.SPARK_CONTEXT_SHUTDOWN_PRIORITY() + 1;

    private Serve() {}

    /**
     * Serves until the process gets a signal to end.
     *
     * @param arguments none, or {@value #UNTIL_END_OF_INPUT}
     * @throws IllegalStateException if Spark ends before
     */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (List.of(arguments).equals(List.of(UNTIL_END_OF_INPUT))) {
            haltAtEndOfInput();
        } else if (arguments.length > 0) {
            throw new IllegalArgumentException(
                    "the arguments must be none or " + UNTIL_END_OF_INPUT + ", got " + List.of(arguments));
        }
        SparkConf conf = new SparkConf();
        ServingConf settings = new ServingConf(conf);
        settings.checkAll(); // before the cluster gives executors
        List<ServingPlan> plans = ServingPlan.all(conf);
        HttpOptions http = settings.http();
        Optional<HttpOptions> overGrpc = settings.grpc(http);
        TraceOptions traced = settings.traces();
        Duration drain = settings.get(ServingSettings.DRAIN);
        try (JavaSparkContext context = new JavaSparkContext(conf);
                Traces traces = Traces.of(traced);
                FrontEnd frontEnd = new FrontEnd(traces);
                Deployment deployment = new Deployment(context, frontEnd);
                HttpServer server = new HttpServer(frontEnd, http, new Versions(conf, deployment, plans, START_LIMIT));
                GrpcServer grpc = overGrpc.map(options -> new GrpcServer(frontEnd, options))
                        .orElse(null)) {
            System.out.println(LISTENS + server.url());
            if (grpc != null) {
                System.out.println(LISTENS_FOR_GRPC + grpc.target());
            }
            try {
                plans.forEach(deployment::prepare); // all, before one is ready
                plans.forEach(plan -> deployment.restore(plan.served()));
                // Before Spark's own hook, which ends the instances.
                ShutdownHookManager.addShutdownHook(BEFORE_SPARK, () -> drain(server, grpc, drain));
                awaitReady(deployment, plans, START_LIMIT);
                System.out.println(READY);
                awaitEnd(context);
            } catch (IllegalStateException e) {
                if (!ShutdownHookManager.inShutdown()) { // a signal ends Spark, whatever is waited for
                    throw e;
                }
            }
        }
    }

    /**
     * Waits for the instances of all versions, but those that are unloaded or replaced meanwhile: beyond the limit while a deployed one
     * answers queries, for to end would be worse than to lack others.
     */
    static void awaitReady(Deployment deployment, List<ServingPlan> plans, Duration limit) throws InterruptedException {
        Deque<ServingPlan> left = new ArrayDeque<>(plans);
        while (!left.isEmpty()) {
            ServingPlan plan = left.remove();
            try {
                if (!becomesReady(deployment, plan, limit)) {
                    left.add(plan);
                }
            } catch (UnknownModelException e) {
                LOG.info("Paritas: {} is not waited for: {}", plan.served(), e.getMessage());
            }
        }
    }

    private static boolean becomesReady(Deployment deployment, ServingPlan plan, Duration limit)
            throws InterruptedException {
        try {
            deployment.awaitReady(plan, limit);
            return true;
        } catch (IllegalStateException e) {
            if (!deployment.answers(plan)) {
                throw e;
            }
            LOG.warn("Paritas: {} answers queries, but not all is there: {}", plan.served(), e.getMessage());
            return false;
        }
    }

    private static void awaitEnd(JavaSparkContext context) throws InterruptedException {
        while (!context.sc().isStopped()) {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        throw new IllegalStateException("Spark has ended, and serving with it: see the driver's log");
    }

    private static void haltAtEndOfInput() {
        Thread watch = new Thread(
                () -> {
                    try {
                        System.in.transferTo(PrintStream.nullOutputStream());
                    } catch (IOException e) { // no more input, either
                        System.err.println("the standard input cannot be read: " + e.getMessage());
                    }
                    Runtime.getRuntime().halt(1); // whoever held the other end was killed, and so were the instances
                },
                "paritas-serving-input");
        watch.setDaemon(true);
        watch.start();
    }

    private static BoxedUnit drain(HttpServer server, GrpcServer grpc, Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        try {
            if (grpc != null) {
                grpc.drain();
            }
            server.drain(limit);
            if (grpc != null) {
                grpc.awaitReplies(Duration.ofNanos(end - System.nanoTime()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return BoxedUnit.UNIT;
    }
}
