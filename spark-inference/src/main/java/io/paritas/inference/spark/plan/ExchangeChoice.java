/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.inference.spark.settings.Exchange;
import io.paritas.spark.job.QueryException;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.spark.rdd.DeterministicLevel$;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.FilePartition;
import org.apache.spark.sql.execution.datasources.PartitionedFile;

/**
 * Whether the rows of a coded prediction are exchanged.
 *
 * @param exchanged whether they are
 * @param why the reason, for {@code EXPLAIN}
 */
record ExchangeChoice(boolean exchanged, String why) {
    private static final ExchangeChoice NEVER = new ExchangeChoice(false, "as exchange=never says");
    private static final ExchangeChoice STABLE = new ExchangeChoice(false, "rows always come in the same order");

    /** What the option and the plan of the rows say. */
    static ExchangeChoice of(Options options, SparkPlan rows) {
        return switch (options.get(CodedSettings.EXCHANGE)) {
            case ALWAYS -> yes("as exchange=always says");
            case NEVER -> NEVER;
            case AUTO ->
                options.get(CodedSettings.SEGMENTS) > 0
                        ? yes("for as many tasks as segments says")
                        : StableRows.doubt(rows).map(ExchangeChoice::yes).orElse(STABLE);
        };
    }

    private static ExchangeChoice yes(String why) {
        return new ExchangeChoice(true, why);
    }

    /**
     * The choice once the partitions of the rows are known. Without an exchange a task has one of them: where they are fewer than
     * k, or one is so large that its task would be late for that alone, {@link Exchange#AUTO} exchanges.
     *
     * @param plan of the rows
     * @param k batches of data in a coding group
     * @throws QueryException if rows shall stay where they are, and may come in another order
     */
    ExchangeChoice over(RDD<InternalRow> rows, SparkPlan plan, int k, Options options) {
        boolean stable = DeterministicLevel$.MODULE$.DETERMINATE().equals(rows.outputDeterministicLevel());
        // To Spark the answers of an RDD are not the same again, because reconstructed ones may differ. Their order is.
        if (equals(NEVER)) {
            Optional<String> doubt = stable || StackedCalls.below(plan).isPresent()
                    ? StackedCalls.doubt(plan).map(reason -> "these come from a coded call, and " + reason)
                    : Optional.of("these come from an exchange");
            doubt.ifPresent(reason -> {
                throw new QueryException(CodedSettings.EXCHANGE.key() + " can be never only where rows always come"
                        + " in the same order, as from files; " + reason + ": leave it at always");
            });
        }
        if (!equals(STABLE)) {
            return this;
        }
        if (!stable) {
            return yes("Spark says that rows may come in another order");
        }
        if (rows.getNumPartitions() < k) {
            return yes("there are fewer partitions than k");
        }
        return isUneven(rows, options.get(CodedSettings.PATIENCE)) ? yes("partitions differ in size") : this;
    }

    /** Whether a partition is larger than so many medians. Only those of files have a size. */
    private static boolean isUneven(RDD<InternalRow> rows, double medians) {
        long[] sizes = Stream.of(rows.partitions())
                .flatMap(partition -> partition instanceof FilePartition files ? Stream.of(files) : Stream.empty())
                .mapToLong(files -> Arrays.stream(files.files())
                        .mapToLong(PartitionedFile::length)
                        .sum())
                .sorted()
                .toArray();
        return sizes.length == rows.getNumPartitions()
                && sizes[sizes.length - 1] > medians * sizes[(sizes.length - 1) / 2];
    }

    /** For {@code EXPLAIN}. */
    String text() {
        return (exchanged ? "exchanged: " : "not exchanged: ") + why;
    }
}
