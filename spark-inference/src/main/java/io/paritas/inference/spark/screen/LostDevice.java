/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import io.paritas.inference.DeviceLostException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
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
    private final AtomicReference<CompletableFuture<Boolean>> ending = new AtomicReference<>();

    LostDevice(PluginContext context) {
        this.context = context;
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
        CompletableFuture<Boolean> first = new CompletableFuture<>();
        if (ending.compareAndSet(null, first)) {
            first.complete(tell(loss));
        } else if (ending.get().join()) {
            await();
        }
    }

    /** Whether the driver ends this executor. */
    private boolean tell(DeviceLostException loss) {
        String host = SparkEnv.get().blockManager().blockManagerId().host(); // the context knows it on the driver only
        try {
            return (Boolean) context.ask(new Message(context.executorID(), host, loss.getMessage()).encode());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (Exception e) { // the driver's plugin answers with whatever its side threw
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
