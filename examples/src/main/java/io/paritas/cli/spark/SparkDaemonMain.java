/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark;

import io.paritas.cli.daemon.ServingLine;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.deploy.DeployMessages;
import org.apache.spark.deploy.master.Master;
import org.apache.spark.deploy.worker.Worker;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcEnv;
import scala.Option;
import scala.reflect.ClassTag$;

/**
 * The main class of a daemon's process. It differs from Spark's in three points: a daemon prints a line when it serves, it ends
 * with its standard input, together with its executors, so that nothing outlives the program that started it, and its pages answer 403.
 */
final class SparkDaemonMain {
    private static final String FILTER = "org.apache.spark.ui.JWSFilter";

    /** The role of a process. Its name in lower case is the first argument. */
    private enum Role {
        /** Arguments: host. Prints its URL. */
        MASTER {
            @Override
            Serving start(String[] arguments, SparkConf settings) {
                RpcEnv master = Master.startRpcEnvAndEndpoint(arguments[1], 0, 0, settings)
                        ._1();
                return new Serving(master, "spark://" + master.address().hostPort());
            }
        },
        /** Arguments: host, master's URL, cores, megabytes, folder. Prints the URL of the master that accepted it. */
        WORKER {
            @Override
            Serving start(String[] arguments, SparkConf settings) throws InterruptedException {
                RpcEnv worker = Worker.startRpcEnvAndEndpoint(
                        arguments[1],
                        0,
                        0,
                        Integer.parseInt(arguments[3]),
                        Integer.parseInt(arguments[4]),
                        new String[] {arguments[2]},
                        arguments[5],
                        Option.empty(),
                        settings,
                        Option.empty());
                return new Serving(worker, awaitMaster(worker));
            }
        };

        abstract Serving start(String[] arguments, SparkConf settings) throws InterruptedException;

        private static String awaitMaster(RpcEnv worker) throws InterruptedException {
            RpcEndpointRef self = worker.setupEndpointRef(worker.address(), Worker.ENDPOINT_NAME());
            while (true) {
                DeployMessages.WorkerStateResponse state = self.askSync(
                        DeployMessages.RequestWorkerState$.MODULE$,
                        ClassTag$.MODULE$.apply(DeployMessages.WorkerStateResponse.class));
                if (!state.masterUrl().isEmpty()) {
                    return state.masterUrl();
                }
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
    }

    /** A daemon that serves, and the URL for {@link SparkDaemon}. */
    private record Serving(RpcEnv daemon, String url) {}

    private SparkDaemonMain() {}

    /** Runs the daemon with the settings in system properties that start with {@code spark.}. */
    public static void main(String[] arguments) {
        haltAtEndOfInput();
        PrintStream out = System.out;
        System.setOut(System.err);
        try {
            Serving serving =
                    Role.valueOf(arguments[0].toUpperCase(Locale.ROOT)).start(arguments, settings());
            out.println(ServingLine.of(serving.url()));
            serving.daemon().awaitTermination();
        } catch (Throwable e) { // whatever it is: other threads would keep the process
            e.printStackTrace();
        } finally { // also where there is no memory to tell of it
            halt();
        }
    }

    /**
     * Spark always starts the pages. They ask nobody who it is, end applications, and show the logs of executors: so they want a token,
     * signed with a key that nobody has.
     */
    private static SparkConf settings() {
        byte[] key = new byte[32];
        new SecureRandom().nextBytes(key);
        return new SparkConf()
                .set("spark.ui.filters", FILTER)
                .set(
                        "spark." + FILTER + ".param.secretKey",
                        Base64.getUrlEncoder().withoutPadding().encodeToString(key));
    }

    private static void haltAtEndOfInput() {
        Thread watch = new Thread(SparkDaemonMain::awaitEndOfInput, "halt at end of input");
        watch.setDaemon(true);
        watch.start();
    }

    private static void awaitEndOfInput() {
        try {
            System.in.transferTo(PrintStream.nullOutputStream());
        } catch (IOException e) {
            e.printStackTrace();
        }
        killPrograms();
        halt();
    }

    /** Kills what runs from the same home: submitted programs would wait for a master forever. */
    private static void killPrograms() {
        new SparkHome(Path.of(System.getenv("SPARK_HOME")))
                .processes().stream()
                        .filter(process -> !process.equals(ProcessHandle.current()))
                        .forEach(ProcessHandle::destroyForcibly);
    }

    /** Kills executors first: frozen ones would not notice the end of their worker. */
    private static void halt() {
        ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
        Runtime.getRuntime().halt(1);
    }
}
