/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import io.paritas.cli.spark.ExecutorProcess;
import java.util.concurrent.TimeUnit;

/** An executor that runs for a tenth of each second, as one whose disk or processor is overloaded, until this is closed. */
final class SlowExecutor implements AutoCloseable {
    private static final long FROZEN_MILLIS = 900;
    private static final long RUNNING_MILLIS = 100;

    private final ExecutorProcess executor;
    private final Thread thread;

    SlowExecutor(ExecutorProcess executor) {
        this.executor = executor;
        this.thread = new Thread(this::slow, "slow-executor");
        thread.setDaemon(true);
        thread.start();
    }

    private void slow() {
        try {
            while (executor.handle().isAlive()) {
                executor.freeze();
                TimeUnit.MILLISECONDS.sleep(FROZEN_MILLIS);
                executor.thaw();
                TimeUnit.MILLISECONDS.sleep(RUNNING_MILLIS);
            }
        } catch (InterruptedException | IllegalStateException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    @Override
    public void close() throws InterruptedException {
        thread.interrupt();
        thread.join();
        if (executor.handle().isAlive()) {
            executor.thaw();
        }
    }
}
