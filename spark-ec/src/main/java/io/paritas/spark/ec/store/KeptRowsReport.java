/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.spark.plugin.Report;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.spark.SparkContext;
import org.apache.spark.util.Utils;

/** What an application keeps erasure-coded: each Dataset and RDD, and the memory of each code. */
public final class KeptRowsReport {
    private KeptRowsReport() {}

    /** The tables for Spark's UI. */
    public static List<Report> of(SparkContext context) {
        Optional<Repairer> repairer = Repairer.known(context);
        List<ErasureCodedStore<?>> stores = repairer.map(Repairer::stores).orElse(List.of());
        List<List<String>> kept = new ArrayList<>();
        Map<String, long[]> codes = new TreeMap<>();
        for (ErasureCodedStore<?> store : stores) {
            Health health = store.health();
            kept.add(row(store.rdd().name(), health));
            long[] bytes = codes.computeIfAbsent(store.code().toString(), code -> new long[2]);
            bytes[0] += health.dataBytes();
            bytes[1] += health.parityBytes();
        }
        long repaired = repairer.map(Repairer::repairedBytes).orElse(0L);
        return List.of(
                new Report(
                        "Erasure-coded rows",
                        List.of(
                                "Name",
                                "Partitions",
                                "Stripes",
                                "Rows",
                                "Parity",
                                "Times the rows",
                                "Units missing",
                                "Stripes not decodable",
                                "Executors that may be lost"),
                        kept),
                new Report(
                        "Memory of each code (" + size(repaired) + " rebuilt or moved since the start)",
                        List.of("Code", "Rows", "Parity"),
                        codes.entrySet().stream()
                                .map(code -> List.of(code.getKey(), size(code.getValue()[0]), size(code.getValue()[1])))
                                .toList()));
    }

    private static List<String> row(String name, Health health) {
        return List.of(
                name,
                String.valueOf(health.partitions()),
                String.valueOf(health.stripes()),
                size(health.dataBytes()),
                size(health.parityBytes()),
                String.format(Locale.ROOT, "%.2f", health.overhead()),
                String.valueOf(health.missingUnits()),
                String.valueOf(health.brokenStripes()),
                String.valueOf(health.survives()));
    }

    private static String size(long bytes) {
        return Utils.bytesToString(bytes);
    }
}
