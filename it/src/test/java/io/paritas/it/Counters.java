/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.metrics2.AbstractMetric;
import org.apache.hadoop.metrics2.MetricsRecord;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;

/** The present metrics of one source: asked for directly, because what JMX shows may be ten seconds old. */
record Counters(Map<String, Long> values) {
    static Counters of(String source) {
        MetricsCollectorImpl collector = new MetricsCollectorImpl();
        DefaultMetricsSystem.instance().getSource(source).getMetrics(collector, true);
        Map<String, Long> values = new HashMap<>();
        for (MetricsRecord metricsRecord : collector.getRecords()) {
            for (AbstractMetric metric : metricsRecord.metrics()) {
                values.put(metric.name(), metric.value().longValue());
            }
        }
        return new Counters(values);
    }

    long get(String name) {
        return Optional.ofNullable(values.get(name))
                .orElseThrow(() -> new IllegalArgumentException("No metric '" + name + "' among " + values.keySet()));
    }
}
