/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import io.paritas.inference.DeviceLostException;
import io.paritas.spark.job.DaemonThreads;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.plugin.PluginContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An executor's side: tells the driver that the device is lost. The first failure goes on at once, so that its task fails with the
 * reason. Later ones wait for the end of the executor, because a task may fail only a few times, and Spark would run the same task here
 * again and again. Thread-safe.
 */
final class LostDevice implements Consumer<DeviceLostException> {
    private static final Logger LOG = LoggerFactory.getLogger(LostDevice.class);

    /** If the executor has not been ended by then, it will not be. */
    private static final long PATIENCE_MILLIS = 30_000;

    private final PluginContext context;
    private final ThreadFactory threads;
    private final AtomicBoolean told = new AtomicBoolean();
    private final CompletableFuture<Boolean> ending = new CompletableFuture<>();

    LostDevice(PluginContext context) {
        this(context, DaemonThreads.named("paritas-lost-device"));
    }

    /** @param threads makes the thread that tells the driver, for tests */
    LostDevice(PluginContext context, ThreadFactory threads) {
        this.context = context;
        this.threads = threads;
    }

    /** What crosses, as strings. */
    record Message(String executor, String host, String reason) {
        String[] encode() {
            return new String[] {executor, host, reason};
        }

        static Message decode(Object message) {
            String[] words = (String[]) message;
            return new Message(words[0], words[1], words[2]);
        }
    }

    @Override
    public void accept(DeviceLostException loss) {
        if (told.compareAndSet(false, true)) {
            Runnable telling = () -> ending.complete(tell(loss));
            try {
                // A thread whose task is killed is interrupted, and would not hear the answer.
                threads.newThread(telling).start();
            } catch (OutOfMemoryError e) { // the system has no thread left
                boolean interrupted = Thread.interrupted();
                telling.run();
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        } else if (ending.join()) {
            await();
        }
    }

    /** Whether the driver ends this executor. */
    private boolean tell(DeviceLostException loss) {
        try {
            // The context knows the host on the driver only.
            String host = SparkEnv.get().blockManager().blockManagerId().host();
            return (Boolean) context.ask(new Message(context.executorID(), host, loss.getMessage()).encode());
        } catch (Throwable e) {
            // The driver's plugin answers with whatever its side threw; and later failures wait for what this returns.
            LOG.error("Paritas: the driver cannot be told that the GPU is lost, end this executor by hand", e);
            return false;
        }
    }

    private static void await() {
        try {
            TimeUnit.MILLISECONDS.sleep(PATIENCE_MILLIS);
            LOG.error("Paritas: Spark has not ended this executor, whose GPU is lost");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
