/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.spark.ec.RelayingEndpoint;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.apache.spark.SparkEnv;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcTimeout;
import org.apache.spark.storage.BlockManagerMaster;
import scala.concurrent.Future;
import scala.concurrent.impl.Promise;
import scala.reflect.ClassTag;

/** Interrupts the thread that made it at the first such question to the master of blocks, whoever asks: itself, it gets no answer. */
final class InterruptingEndpoint extends RelayingEndpoint implements AutoCloseable {
    private static final long serialVersionUID = 1;

    private final transient BlockManagerMaster master;
    private final transient RpcEndpointRef driver;
    private final transient Thread thread = Thread.currentThread();
    private final transient Predicate<Object> question;
    private final transient AtomicBoolean asked = new AtomicBoolean();

    InterruptingEndpoint(Predicate<Object> question) {
        this(question, SparkEnv.get().blockManager().master());
    }

    private InterruptingEndpoint(Predicate<Object> question, BlockManagerMaster master) {
        super(master.driverEndpoint());
        this.master = master;
        this.driver = master.driverEndpoint();
        this.question = question;
        master.driverEndpoint_$eq(this);
    }

    @Override
    public <T> Future<T> ask(Object message, RpcTimeout timeout, ClassTag<T> type) {
        if (question.test(message) && asked.compareAndSet(false, true)) {
            thread.interrupt();
            if (Thread.currentThread().equals(thread)) {
                return new Promise.DefaultPromise<>(); // is never complete
            }
        }
        return super.ask(message, timeout, type);
    }

    @Override
    public void close() {
        master.driverEndpoint_$eq(driver);
    }
}
