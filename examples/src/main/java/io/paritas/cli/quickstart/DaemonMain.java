/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import io.paritas.cli.daemon.ServingLine;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;

/**
 * The main class of a daemon's process. It differs from Hadoop's in three points: a NameNode formats its directory first; a
 * daemon prints a line when it serves; and it ends with its standard input, so that no daemon outlives the program that started
 * it.
 */
final class DaemonMain {
    /** The role of a process. Its name in lower case is the first argument, the file of settings the second. */
    enum Role {
        NAMENODE {
            @Override
            Serving start(Configuration settings) throws IOException {
                // Formatting registers metrics that the NameNode then registers again.
                DefaultMetricsSystem.setMiniClusterMode(true);
                NameNode.format(settings);
                NameNode nameNode = NameNode.createNameNode(new String[0], settings);
                return new Serving(nameNode.getNameNodeAddress(), nameNode.getHttpAddress(), nameNode::join);
            }
        },
        DATANODE {
            @Override
            Serving start(Configuration settings) throws IOException {
                DataNode dataNode = DataNode.createDataNode(new String[0], settings);
                InetSocketAddress http = new InetSocketAddress("127.0.0.1", dataNode.getInfoPort());
                return new Serving(dataNode.getXferAddress(), http, () -> join(dataNode));
            }
        };

        /** Returns when the daemon serves. */
        abstract Serving start(Configuration settings) throws IOException;

        private static void join(DataNode dataNode) {
            while (dataNode.isDatanodeUp()) {
                pause();
            }
        }
    }

    /** A daemon that serves. */
    private record Serving(InetSocketAddress address, InetSocketAddress http, Runnable join) {
        /** The line for {@link Daemon}: the ports for clients and for HTTP. */
        String line() {
            return ServingLine.of(address.getPort() + " " + http.getPort());
        }
    }

    private DaemonMain() {}

    /** Runs the daemon. Arguments: role, file of settings. */
    public static void main(String[] arguments) {
        haltAtEndOfInput();
        PrintStream out = System.out;
        System.setOut(System.err);
        try {
            Serving serving =
                    Role.valueOf(arguments[0].toUpperCase(Locale.ROOT)).start(settings(arguments[1]));
            out.println(serving.line());
            serving.join().run();
        } catch (Throwable e) { // whatever it is: other threads would keep the process
            e.printStackTrace();
        } finally { // also where there is no memory to tell of it
            Runtime.getRuntime().halt(1);
        }
    }

    private static Configuration settings(String file) throws IOException {
        Configuration settings = new HdfsConfiguration();
        settings.addResource(Path.of(file).toUri().toURL());
        return settings;
    }

    private static void haltAtEndOfInput() {
        Thread watch = new Thread(
                () -> {
                    awaitEndOfInput();
                    Runtime.getRuntime().halt(0);
                },
                "halt at end of input");
        watch.setDaemon(true);
        watch.start();
    }

    private static void awaitEndOfInput() {
        try {
            System.in.transferTo(PrintStream.nullOutputStream());
        } catch (IOException e) {
            e.printStackTrace();
        }
    }

    private static void pause() {
        try {
            Thread.sleep(1000);
        } catch (InterruptedException e) {
            Runtime.getRuntime().halt(1);
        }
    }
}
