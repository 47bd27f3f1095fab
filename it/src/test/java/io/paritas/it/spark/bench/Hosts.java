/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import io.paritas.cli.spark.ExecutorProcess;
import io.paritas.cli.spark.StandaloneCluster;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** The executors of a cluster as hosts with a share of a processor each: those that Spark starts later too. For one thread. */
final class Hosts implements AutoCloseable {
    private final StandaloneCluster cluster;
    private final CpuShares shares = new CpuShares();
    private final double processors;
    private final Set<Long> moved = new HashSet<>();
    private final List<String> names = new ArrayList<>();
    private final List<ExecutorProcess> executors = new ArrayList<>();

    Hosts(StandaloneCluster cluster, double processors) throws IOException {
        this.cluster = cluster;
        this.processors = processors;
        shares.move(ProcessHandle.current().pid(), "driver");
    }

    /** Gives the executors that run their shares, each on a host of its own: a new one takes over that of a dead one. */
    void settle() throws IOException {
        List<ExecutorProcess> running = cluster.executors();
        for (ExecutorProcess executor : running) {
            if (moved.add(executor.pid())) {
                int free = free(running);
                executors.set(free, executor);
                shares.limit(names.get(free), processors);
                shares.move(executor.pid(), names.get(free));
            }
        }
    }

    private int free(List<ExecutorProcess> running) {
        for (int host = 0; host < executors.size(); host++) {
            ExecutorProcess here = executors.get(host);
            if (running.stream().noneMatch(executor -> executor.pid() == here.pid())) {
                return host;
            }
        }
        names.add("host-" + names.size());
        executors.add(null);
        return names.size() - 1;
    }

    int count() {
        return names.size();
    }

    ExecutorProcess executor(int host) {
        return executors.get(host);
    }

    /** Leaves a host a part of its share. */
    void limit(int host, double part) throws IOException {
        shares.limit(names.get(host), part * processors);
    }

    /**
     * Moves bytes from a process on a host to one on another, and back, as fast as their shares let them, and waits for the end.
     */
    void transfer(int from, int to, int megabytes) throws IOException, InterruptedException {
        for (List<Integer> pair : List.of(List.of(from, to), List.of(to, from))) {
            String script =
                    "(echo $BASHPID > " + shares.processes(names.get(pair.get(0))) + "; exec head -c " + megabytes
                            + "M /dev/zero) | (echo $BASHPID > " + shares.processes(names.get(pair.get(1)))
                            + "; exec wc -c > /dev/null)";
            Process process = new ProcessBuilder("bash", "-c", script)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try {
                process.waitFor();
            } finally {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        }
    }

    /** After the processes have ended. */
    @Override
    public void close() throws IOException {
        shares.leave(ProcessHandle.current().pid());
        shares.close();
    }

    static void pause(double seconds) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep((long) (seconds * 1e9));
    }
}
