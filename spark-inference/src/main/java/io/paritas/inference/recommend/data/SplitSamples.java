/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import static org.apache.spark.sql.functions.abs;
import static org.apache.spark.sql.functions.bit_xor;
import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.concat;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.exists;
import static org.apache.spark.sql.functions.first;
import static org.apache.spark.sql.functions.isnan;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.min;
import static org.apache.spark.sql.functions.not;
import static org.apache.spark.sql.functions.pmod;
import static org.apache.spark.sql.functions.size;
import static org.apache.spark.sql.functions.substring;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.when;
import static org.apache.spark.sql.functions.xxhash64;

import io.paritas.PublicApi;
import java.util.Locale;
import java.util.Optional;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.storage.StorageLevel;

/**
 * Samples for training and, held out of them, samples for evaluation. Both are functions of the samples alone: their order, who is held
 * out, and the partition of each come from a hash of the sample. So they are the same in each epoch, after an executor is lost, and
 * in another application that resumes the training, whatever the cluster. The samples are read once, and are kept on executors' disks
 * until this is closed. Thread-safe.
 */
@PublicApi
public final class SplitSamples implements AutoCloseable {
    private static final int PARTS = 10_000;
    private static final String HASH = "paritas_hash";
    /** Characters of a column in a message. */
    private static final int SHOWN = 200;

    private final Dataset<Row> kept;
    private final Dataset<Row> training;
    private final Optional<Dataset<Row>> evaluation;
    private final Counts counts;

    /**
     * What the samples are.
     *
     * @param training number of samples for training
     * @param heldOut number of samples for evaluation
     * @param clicks share of clicks in both, from 0 to 1
     * @param hash exclusive or of the hashes of the samples for training
     */
    @PublicApi
    public record Counts(long training, long heldOut, double clicks, long hash) {
        /** Identifies the samples for training, for example {@code 90210 samples, hash 3f00a1b2c3d4e5f6}. */
        public String fingerprint() {
            return String.format(Locale.ROOT, "%d samples, hash %016x", training, hash);
        }
    }

    private SplitSamples(Dataset<Row> kept, Dataset<Row> training, Optional<Dataset<Row>> evaluation, Counts counts) {
        this.kept = kept;
        this.training = training;
        this.evaluation = evaluation;
        this.counts = counts;
    }

    /**
     * Reads and splits samples.
     *
     * @param samples samples with the columns of {@link Samples}
     * @param heldOut share of samples that are held out, from 0 to below 1
     * @param partitions of the training samples, one for each worker
     * @throws IllegalArgumentException if a number is out of range, a sample is invalid, or none is left for one of the two
     */
    public static SplitSamples of(Dataset<?> samples, double heldOut, int partitions) {
        if (!(heldOut >= 0 && heldOut < 1)) {
            throw new IllegalArgumentException(
                    "the share that is held out must be at least 0 and below 1, got " + heldOut);
        }
        int parts = (int) Math.round(heldOut * PARTS);
        if (heldOut > 0 && parts == 0) {
            throw new IllegalArgumentException("the share that is held out must be 0 or at least " + 1.0 / PARTS
                    + ", got " + heldOut + ": hold out more samples, or none");
        }
        Dataset<Row> kept = Samples.of(samples)
                .withColumn(HASH, xxhash64(col("label"), col("dense"), col("categorical")))
                .persist(StorageLevel.DISK_ONLY());
        try {
            return split(kept, parts, partitions);
        } catch (Throwable e) { // Spark throws checked exceptions that it does not declare
            kept.unpersist();
            throw e;
        }
    }

    private static SplitSamples split(Dataset<Row> kept, int parts, int partitions) {
        /* Other bits than those that choose the partition. */
        Column isHeldOut = pmod(xxhash64(col(HASH)), lit(PARTS)).lt(parts);
        Counts counts = counted(kept, isHeldOut);
        if (counts.training() == 0 || (parts > 0 && counts.heldOut() == 0)) {
            throw new IllegalArgumentException("there must be samples to train and to evaluate with, got "
                    + counts.training() + " for training and " + counts.heldOut() + " held out");
        }
        Dataset<Row> training = Samples.of(kept.where(not(isHeldOut))
                .repartition(partitions, col(HASH))
                .sortWithinPartitions(col(HASH), col("categorical"), col("dense"), col("label")));
        Optional<Dataset<Row>> evaluation =
                parts == 0 ? Optional.empty() : Optional.of(Samples.of(kept.where(isHeldOut)));
        return new SplitSamples(kept, training, evaluation, counts);
    }

    private static Counts counted(Dataset<Row> kept, Column isHeldOut) {
        Row row = kept.agg(
                        count(lit(1)),
                        count(when(isHeldOut, 1)),
                        sum(col("label")),
                        bit_xor(when(isHeldOut, 0L).otherwise(col(HASH))),
                        count(problem()),
                        first(when(problem().isNotNull(), concat(sample(), lit(", "), problem())), true),
                        min(size(col("dense"))),
                        max(size(col("dense"))))
                .first();
        long all = row.getLong(0);
        if (row.getLong(4) > 0) {
            throw new IllegalArgumentException(row.getLong(4) + " of " + all + " samples are invalid, such as "
                    + row.getString(5) + ": correct them or filter them out");
        }
        if (all > 0 && row.getInt(6) < row.getInt(7)) {
            throw new IllegalArgumentException("all samples must have as many dense numbers, got samples with "
                    + row.getInt(6) + " and with " + row.getInt(7) + ": correct them or filter them out");
        }
        double clicks = row.isNullAt(2) ? 0 : row.getDouble(2);
        return new Counts(all - row.getLong(1), row.getLong(1), clicks / all, row.isNullAt(3) ? 0 : row.getLong(3));
    }

    /** What is wrong with a sample, which would end the training when it is read; null for most. */
    private static Column problem() {
        return when(col("label").isNull().or(not(col("label").isin(0, 1))), "its label must be 0 or 1")
                .when(
                        col("dense").isNull().or(exists(col("dense"), number -> not(isFinite(number)))),
                        "its dense numbers must be finite")
                .when(
                        col("categorical").isNull().or(exists(col("categorical"), id -> coalesce(id, lit(-1))
                                .lt(0))),
                        "its ids must be at least 0");
    }

    private static Column sample() {
        return concat(
                lit("label "),
                text(col("label")),
                lit(", dense "),
                text(col("dense")),
                lit(", categorical "),
                text(col("categorical")));
    }

    private static Column text(Column value) {
        return substring(coalesce(value.cast("string"), lit("null")), 1, SHOWN);
    }

    private static Column isFinite(Column number) {
        return coalesce(not(isnan(number)).and(abs(number).lt(Float.POSITIVE_INFINITY)), lit(false));
    }

    /** The samples for training, in an order of their own in each partition. */
    public Dataset<Row> training() {
        return training;
    }

    /** The samples that are held out; empty if the share is 0. */
    public Optional<Dataset<Row>> evaluation() {
        return evaluation;
    }

    /** What the samples are. */
    public Counts counts() {
        return counts;
    }

    /** Deletes what is kept. */
    @Override
    public void close() {
        kept.unpersist();
    }
}
