/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.quickstart;

/** Ends the cluster and deletes its directory, however the program ends: also when it is interrupted. */
final class Cleanup implements AutoCloseable {
    /** What stays of the directory. */
    enum Keep {
        NOTHING,
        LOGS,
        EVERYTHING
    }

    private final Cluster cluster;
    private final Directory directory;
    private final Thread hook = new Thread(this::interrupt, "clean up");
    private Keep keep;
    private volatile boolean interrupted;
    private boolean closed;

    private Cleanup(Cluster cluster, Directory directory, Keep keep) {
        this.cluster = cluster;
        this.directory = directory;
        this.keep = keep;
    }

    /** Cleans up when it is closed, and at the latest when this JVM ends. */
    static Cleanup of(Cluster cluster, Directory directory, Keep keep) {
        Cleanup cleanup = new Cleanup(cluster, directory, keep);
        Runtime.getRuntime().addShutdownHook(cleanup.hook);
        return cleanup;
    }

    /** From now on at least the logs stay. */
    synchronized void keepLogs() {
        if (keep == Keep.NOTHING) {
            keep = Keep.LOGS;
        }
    }

    /** Whether this JVM is on its way down before the cleanup was closed, so that nothing that fails now matters. */
    boolean interrupted() {
        return interrupted;
    }

    private void interrupt() {
        interrupted = true;
        close();
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            cluster.close();
            delete();
        }
    }

    private void delete() {
        switch (keep) {
            case NOTHING -> directory.delete();
            case LOGS -> directory.deleteState();
            case EVERYTHING -> {}
        }
    }
}
