/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.util.LongAccumulator;
import org.apache.spark.util.Utils;

/**
 * What the tasks of each stage have decoded, in accumulators of Spark: its page of the stage shows them. A stage gets some when a task
 * of it asks for them. Thread-safe.
 */
final class StageReads {
    /** Spark's UI knows as many stages unless it is told otherwise. */
    private static final int MOST = 1_000;

    private final SparkContext spark;

    private final Map<Integer, Reads> stages = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Reads> eldest) {
            return size() > MOST;
        }
    };

    private record Reads(LongAccumulator blocks, LongAccumulator bytes) {}

    StageReads(SparkContext spark) {
        this.spark = spark;
    }

    /** The accumulators of a stage, of blocks and of bytes, as {@link TaskReads} reads them. */
    synchronized byte[] accumulators(int stage) {
        Reads reads = stages.computeIfAbsent(
                stage,
                same -> new Reads(
                        spark.longAccumulator("shuffle blocks decoded"),
                        spark.longAccumulator("shuffle bytes decoded")));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(reads.blocks());
            out.writeObject(reads.bytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** For Spark's UI: stage, blocks, bytes. */
    synchronized List<List<String>> rows() {
        return stages.entrySet().stream()
                .map(stage -> List.of(
                        String.valueOf(stage.getKey()),
                        String.valueOf(stage.getValue().blocks().sum()),
                        Utils.bytesToString(stage.getValue().bytes().sum())))
                .toList();
    }
}
