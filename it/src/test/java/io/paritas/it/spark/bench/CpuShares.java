/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Gives processes a share of a processor each, by control groups of Linux (version 1 or 2), as if each host had so much and no
 * more, before all that is not on a host. It takes a user who may make control groups. For one thread.
 */
final class CpuShares implements AutoCloseable {
    private static final Path ROOT = Path.of("/sys/fs/cgroup");

    /* The least that Linux takes; a period has one. */
    private static final int QUOTA_MICROS = 1_000;

    private final Path parent;
    private final boolean firstVersion;
    private final Set<Path> groups = new LinkedHashSet<>();

    /** @throws IOException if this user may not make control groups */
    CpuShares() throws IOException {
        this.firstVersion = Files.isDirectory(ROOT.resolve("cpu"));
        Path controller = firstVersion ? ROOT.resolve("cpu") : ROOT;
        this.parent = controller.resolve("paritas-" + ProcessHandle.current().pid());
        make(parent);
        if (firstVersion) {
            write(parent.resolve("cpu.shares"), "262144");
        } else {
            write(parent.resolve("cgroup.subtree_control"), "+cpu");
            write(parent.resolve("cpu.weight"), "10000");
        }
    }

    private void make(Path group) throws IOException {
        Files.createDirectory(group);
        groups.add(group);
    }

    /** What a host may use from now on, in processors, for example 0.25. */
    void limit(String host, double processors) throws IOException {
        Path group = group(host);
        long period = Math.round(QUOTA_MICROS / processors);
        if (firstVersion) {
            write(group.resolve("cpu.cfs_period_us"), String.valueOf(period));
            write(group.resolve("cpu.cfs_quota_us"), String.valueOf(QUOTA_MICROS));
        } else {
            write(group.resolve("cpu.max"), QUOTA_MICROS + " " + period);
        }
    }

    private Path group(String host) throws IOException {
        Path group = parent.resolve(host);
        if (!groups.contains(group)) {
            make(group);
        }
        return group;
    }

    /** Puts a process on a host, with what it starts from now on. */
    void move(long pid, String host) throws IOException {
        write(group(host).resolve("cgroup.procs"), String.valueOf(pid));
    }

    /** Takes a process off its host. */
    void leave(long pid) throws IOException {
        write(parent.resolveSibling("cgroup.procs"), String.valueOf(pid));
    }

    /** Where a shell can put itself on a host. */
    Path processes(String host) throws IOException {
        return group(host).resolve("cgroup.procs");
    }

    private static void write(Path file, String text) throws IOException {
        Files.writeString(file, text);
    }

    /** The processes must have ended, or end soon. */
    @Override
    public void close() throws IOException {
        Path[] all = groups.toArray(Path[]::new);
        for (int i = all.length - 1; i >= 0; i--) {
            delete(all[i]);
        }
    }

    private static void delete(Path group) throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (true) {
            try {
                Files.delete(group);
                return;
            } catch (NoSuchFileException e) {
                return;
            } catch (IOException e) { // a process is in it
                if (System.nanoTime() > end) {
                    throw e;
                }
                sleep();
            }
        }
    }

    private static void sleep() throws IOException {
        try {
            TimeUnit.MILLISECONDS.sleep(50);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while control groups are deleted", e);
        }
    }
}
