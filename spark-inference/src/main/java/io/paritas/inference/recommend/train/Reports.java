/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.Iteration;
import io.paritas.spark.ecrm.protocol.ProgressMessage.Known;
import io.paritas.spark.ecrm.protocol.ProgressMessage.Trained;
import io.paritas.spark.ecrm.transport.SparkTransport;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.spark.SparkEnv;

/** Receives the iterations of all {@link Reporter}s in the driver: each once, those of a worker in order. Thread-safe. */
final class Reports implements AutoCloseable {
    private Consumer<Iteration> recorder = iteration -> {};
    /** Number of known iterations, by worker. */
    private final Map<Address, Integer> known = new HashMap<>();

    private final SparkTransport transport;

    Reports() {
        this.transport = SparkTransport.of(SparkEnv.get(), (envelope, bytes) -> receive(envelope), gone -> {});
    }

    /** @param by called by one thread at a time; must not block */
    synchronized void recordBy(Consumer<Iteration> by) {
        recorder = by;
    }

    String endpoint() {
        return transport.endpoint();
    }

    private synchronized void receive(Envelope envelope) {
        if (envelope.message() instanceof Trained trained) {
            int next = known.getOrDefault(envelope.from(), 0);
            for (Iteration iteration : trained.iterations()) {
                if (iteration.number() == next) {
                    recorder.accept(iteration);
                    next++;
                }
            }
            known.put(envelope.from(), next);
            transport.send(new Envelope(Address.DRIVER, envelope.from(), 0, new Known(next)), "");
        }
    }

    @Override
    public void close() {
        transport.close();
    }
}
