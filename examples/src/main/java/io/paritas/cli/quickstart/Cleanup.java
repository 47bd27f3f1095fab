/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

/** Ends the cluster and deletes its directory, even if the program is interrupted. */
final class Cleanup implements AutoCloseable {
    /** The part of the directory to keep. */
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

    /** Returns a cleanup that runs when it is closed, at the latest when this JVM ends. */
    static Cleanup of(Cluster cluster, Directory directory, Keep keep) {
        Cleanup cleanup = new Cleanup(cluster, directory, keep);
        Runtime.getRuntime().addShutdownHook(cleanup.hook);
        return cleanup;
    }

    /** Keeps at least the logs. */
    synchronized void keepLogs() {
        if (keep == Keep.NOTHING) {
            keep = Keep.LOGS;
        }
    }

    /** Returns whether this JVM began to end before the cleanup was closed, so that failures no longer matter. */
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
