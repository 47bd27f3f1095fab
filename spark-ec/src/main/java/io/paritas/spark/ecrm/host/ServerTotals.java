/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import io.paritas.spark.ecrm.server.ServerCounters;
import java.util.concurrent.atomic.LongAdder;

/**
 * Totals over the parameter servers of this JVM, as gauges for Spark's metrics. Servers report a few times a second, so
 * that updates cost nothing more. Gauges may be read on any thread.
 */
final class ServerTotals {
    private static final LongAdder SERVERS = new LongAdder();
    private static final LongAdder UPDATED_ROWS = new LongAdder();
    private static final LongAdder PARITY_BYTES = new LongAdder();
    private static final LongAdder RECOVERED_UNITS = new LongAdder();
    private static final LongAdder MISSING_UNITS = new LongAdder();

    private ServerTotals() {}

    /**
     * Registers the gauges: {@code ecrm.servers} and {@code ecrm.missingUnits} are current values;
     * {@code ecrm.updatedRows}, {@code ecrm.parityBytes} and {@code ecrm.recoveredUnits} count since the JVM started.
     */
    static void register(MetricRegistry registry) {
        registry.register("ecrm.servers", (Gauge<Long>) SERVERS::sum);
        registry.register("ecrm.updatedRows", (Gauge<Long>) UPDATED_ROWS::sum);
        registry.register("ecrm.parityBytes", (Gauge<Long>) PARITY_BYTES::sum);
        registry.register("ecrm.recoveredUnits", (Gauge<Long>) RECOVERED_UNITS::sum);
        registry.register("ecrm.missingUnits", (Gauge<Long>) MISSING_UNITS::sum);
    }

    /** The contribution of one server while it runs. Not thread-safe. */
    static final class Contribution {
        private ServerCounters told = ServerCounters.NONE;

        Contribution() {
            SERVERS.increment();
        }

        /** Adds what has changed since the last report. */
        void tell(ServerCounters counters) {
            UPDATED_ROWS.add(counters.updatedRows() - told.updatedRows());
            PARITY_BYTES.add(counters.parityBytes() - told.parityBytes());
            RECOVERED_UNITS.add(counters.recoveredUnits() - told.recoveredUnits());
            MISSING_UNITS.add(counters.missingUnits() - told.missingUnits());
            told = counters;
        }

        /** Removes the server, whose missing units count no more. */
        void end() {
            SERVERS.decrement();
            MISSING_UNITS.add(-told.missingUnits());
        }
    }
}
