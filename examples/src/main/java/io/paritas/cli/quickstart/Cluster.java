/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.conf.Configuration;

/**
 * A NameNode and DataNodes as processes on the loopback interface. Thread-safe, so that a shutdown hook can close it at any
 * time.
 */
final class Cluster implements AutoCloseable {
    /** Enough for a dozen JVMs that start together on one busy core. */
    private static final Duration START_LIMIT = Duration.ofMinutes(3);

    private final Directory directory;
    private final List<Daemon> dataNodes = new ArrayList<>();
    private Daemon nameNode;
    private boolean closed;

    /** Creates a cluster without processes; it writes only below the directory. */
    Cluster(Directory directory) {
        this.directory = directory;
    }

    /** Starts the NameNode, and returns when it serves. */
    void startNameNode() throws IOException, InterruptedException, ExecutionException {
        launchNameNode().awaitServing(START_LIMIT);
    }

    /** Starts DataNodes with empty disks, all at once, and returns when they serve; the NameNode may not know them yet. */
    List<Daemon> startDataNodes(int count) throws IOException, InterruptedException, ExecutionException {
        List<Daemon> started = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            started.add(launchDataNode());
        }
        for (Daemon daemon : started) {
            daemon.awaitServing(START_LIMIT);
        }
        return started;
    }

    private synchronized Daemon launchNameNode() throws IOException {
        String name = "namenode";
        nameNode = launch(name, DaemonMain.Role.NAMENODE);
        return nameNode;
    }

    private synchronized Daemon launchDataNode() throws IOException {
        Daemon daemon = launch("datanode-" + (dataNodes.size() + 1), DaemonMain.Role.DATANODE);
        dataNodes.add(daemon);
        return daemon;
    }

    private Daemon launch(String name, DaemonMain.Role role) throws IOException {
        CheckFailed.require(!closed, "no daemon can start in a closed cluster, got %s", name);
        var home = directory.state().resolve(name);
        var settings = role == DaemonMain.Role.NAMENODE
                ? Settings.nameNode(home)
                : Settings.dataNode(home, nameNode.address());
        return Daemon.start(name, role, settings, directory);
    }

    /** Returns the settings of a client that uses this raw coder only. */
    Configuration clientSettings(String rawCoder) {
        return Settings.client(directory.state(), nameNode.address(), rawCoder);
    }

    /** The DataNodes that run. */
    synchronized List<Daemon> dataNodes() {
        return dataNodes.stream().filter(Daemon::alive).toList();
    }

    /** Kills these DataNodes. */
    void kill(Collection<Daemon> victims) {
        victims.forEach(Daemon::kill);
    }

    /** Kills every process that was started. */
    @Override
    public synchronized void close() {
        closed = true;
        dataNodes.forEach(Daemon::kill);
        if (nameNode != null) {
            nameNode.kill();
        }
    }
}
