/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import io.paritas.cli.spark.ExecutorProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The disk of one executor is slow, as one that is about to fail: Linux lets it read five megabytes per second, until this is closed. The
 * executor itself runs, and answers. Writes are not slowed. It takes the superuser, and control groups of version 1.
 */
final class SlowDisk implements AutoCloseable {
    private static final Path GROUPS = Path.of("/sys/fs/cgroup/blkio");
    private static final int BYTES_PER_SECOND = 5_000_000;

    private final ExecutorProcess executor;
    private final Path group;

    /** @param folder on the disk */
    SlowDisk(ExecutorProcess executor, Path folder) throws IOException {
        this.executor = executor;
        this.group = Files.createDirectory(GROUPS.resolve("paritas-slow-" + executor.pid()));
        Files.writeString(group.resolve("blkio.throttle.read_bps_device"), device(folder) + " " + BYTES_PER_SECOND);
        move(group);
        // Files that are in memory need no disk.
        Files.writeString(Path.of("/proc/sys/vm/drop_caches"), "1");
    }

    static boolean isPossible() {
        return Files.isWritable(GROUPS) && Files.exists(GROUPS.resolve("blkio.throttle.read_bps_device"));
    }

    /** As Linux numbers it, for example {@code 254:0}. */
    private static String device(Path folder) throws IOException {
        long number = (Long) Files.getAttribute(folder, "unix:dev");
        return ((number >> 8) & 0xfff) + ":" + ((number & 0xff) | ((number >> 12) & 0xfff00));
    }

    private void move(Path to) throws IOException {
        Files.writeString(to.resolve("cgroup.procs"), String.valueOf(executor.pid()));
    }

    @Override
    public void close() throws IOException {
        if (executor.handle().isAlive()) {
            move(GROUPS);
        }
        Files.delete(group);
    }
}
