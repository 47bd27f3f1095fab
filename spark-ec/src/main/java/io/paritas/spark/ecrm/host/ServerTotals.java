/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import io.paritas.spark.ecrm.server.Figures;
import java.util.concurrent.atomic.LongAdder;

/**
 * What the parameter servers of this JVM do, as gauges for Spark's metrics. Servers say it a few times a second, so that their updates pay
 * nothing for it. Gauges may be read on any thread.
 */
public final class ServerTotals {
    private static final LongAdder SERVERS = new LongAdder();
    private static final LongAdder UPDATED_ROWS = new LongAdder();
    private static final LongAdder PARITY_BYTES = new LongAdder();
    private static final LongAdder RECOVERED_UNITS = new LongAdder();
    private static final LongAdder MISSING_UNITS = new LongAdder();

    private ServerTotals() {}

    /**
     * Adds {@code ecrm.servers} and {@code ecrm.missingUnits}, which are as of now, and {@code ecrm.updatedRows}, {@code
     * ecrm.parityBytes} and {@code ecrm.recoveredUnits}, which count since the JVM began.
     */
    public static void register(MetricRegistry registry) {
        registry.register("ecrm.servers", (Gauge<Long>) SERVERS::sum);
        registry.register("ecrm.updatedRows", (Gauge<Long>) UPDATED_ROWS::sum);
        registry.register("ecrm.parityBytes", (Gauge<Long>) PARITY_BYTES::sum);
        registry.register("ecrm.recoveredUnits", (Gauge<Long>) RECOVERED_UNITS::sum);
        registry.register("ecrm.missingUnits", (Gauge<Long>) MISSING_UNITS::sum);
    }

    /** What one server adds, as long as it is one. For one thread at a time. */
    static final class Part {
        private Figures told = Figures.NONE;

        Part() {
            SERVERS.increment();
        }

        void tell(Figures figures) {
            UPDATED_ROWS.add(figures.updatedRows() - told.updatedRows());
            PARITY_BYTES.add(figures.parityBytes() - told.parityBytes());
            RECOVERED_UNITS.add(figures.recoveredUnits() - told.recoveredUnits());
            MISSING_UNITS.add(figures.missingUnits() - told.missingUnits());
            told = figures;
        }

        /** It is a server no more, and misses nothing. */
        void end() {
            SERVERS.decrement();
            MISSING_UNITS.add(-told.missingUnits());
        }
    }
}
