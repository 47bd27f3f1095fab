/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import io.paritas.random.SplitMix64;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.util.LongAccumulator;

/** What rows are made of: known rows, and each time that one is made is counted. */
enum Lineage {
    /** A partition of it can be made alone. */
    NARROW {
        @Override
        Dataset<Long> rows(SparkSession session, int partitions, Gate gate, LongAccumulator computed) {
            return session.range(0, ROWS, 1, partitions)
                    .mapPartitions(gate.rows(), Encoders.LONG())
                    .map(new Scramble(computed), Encoders.LONG());
        }
    },

    /** A partition has rows of all others, in no certain order. */
    SHUFFLED {
        @Override
        Dataset<Long> rows(SparkSession session, int partitions, Gate gate, LongAccumulator computed) {
            return session.range(0, ROWS, 1, partitions)
                    .map(new Scramble(computed), Encoders.LONG())
                    .repartition(partitions)
                    .mapPartitions(gate.rows(), Encoders.LONG())
                    .map(new Scramble(computed), Encoders.LONG());
        }
    };

    static final int ROWS = 15_000;

    abstract Dataset<Long> rows(SparkSession session, int partitions, Gate gate, LongAccumulator computed);

    /** All rows, in order. */
    List<Long> expected() {
        return sorted(LongStream.range(0, ROWS)
                .map(Lineage::scramble)
                .map(row -> this == SHUFFLED ? scramble(row) : row)
                .boxed()
                .toList());
    }

    static List<Long> sorted(List<Long> rows) {
        List<Long> sorted = new ArrayList<>(rows);
        Collections.sort(sorted);
        return sorted;
    }

    /** No two rows become the same, and nothing compresses them. */
    private static long scramble(long row) {
        return (row ^ row >>> 31) * SplitMix64.GAMMA + 1;
    }

    private record Scramble(LongAccumulator computed) implements MapFunction<Long, Long>, Serializable {
        @Override
        public Long call(Long row) {
            computed.add(1);
            return scramble(row);
        }
    }
}
