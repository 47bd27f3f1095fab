/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import static org.apache.spark.sql.functions.bit_xor;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.min;
import static org.apache.spark.sql.functions.not;
import static org.apache.spark.sql.functions.pmod;
import static org.apache.spark.sql.functions.size;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.when;
import static org.apache.spark.sql.functions.xxhash64;

import io.paritas.PublicApi;
import java.util.ArrayList;
import java.util.List;
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
     * @param hash of the samples for training, whatever their order
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
        return ofChecked(SampleCheck.checked(samples, SampleCheck.problem()), heldOut, partitions);
    }

    /**
     * Reads and splits samples for a model.
     *
     * @param samples samples with the columns of {@link Samples}
     * @param heldOut share of samples that are held out, from 0 to below 1
     * @param partitions of the training samples, one for each worker
     * @param denseFeatures dense numbers of a sample
     * @param tables embedding tables, which bound the ids
     * @throws IllegalArgumentException if a number is out of range, a sample is invalid, or none is left for one of the two
     */
    public static SplitSamples of(
            Dataset<?> samples, double heldOut, int partitions, int denseFeatures, Tables tables) {
        return ofChecked(SampleCheck.checked(samples, SampleCheck.problem(denseFeatures, tables)), heldOut, partitions);
    }

    private static SplitSamples ofChecked(Dataset<Row> samples, double heldOut, int partitions) {
        if (!(heldOut >= 0 && heldOut < 1)) {
            throw new IllegalArgumentException(
                    "the share that is held out must be at least 0 and below 1, got " + heldOut);
        }
        int parts = (int) Math.round(heldOut * PARTS);
        if (heldOut > 0 && parts == 0) {
            throw new IllegalArgumentException("the share that is held out must be 0 or at least " + 1.0 / PARTS
                    + ", got " + heldOut + ": hold out more samples, or none");
        }
        Dataset<Row> kept = samples.withColumn(HASH, xxhash64(col("label"), col("dense"), col("categorical")))
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
        List<Column> figures = new ArrayList<>(SampleCheck.FIGURES);
        int own = figures.size();
        figures.add(count(when(isHeldOut, 1)));
        figures.add(bit_xor(when(isHeldOut, 0L).otherwise(col(HASH))));
        /* An exclusive or does not see what occurs twice. A sum has room for 2^35 samples. */
        figures.add(sum(when(isHeldOut, 0L).otherwise(pmod(col(HASH), lit(1L << 28)))));
        figures.add(min(size(col("dense"))));
        figures.add(max(size(col("dense"))));
        Row row = SampleCheck.read(kept, figures);
        SampleCheck all = SampleCheck.of(row);
        if (all.samples() == 0) {
            return new Counts(0, 0, Double.NaN, 0);
        }
        if (row.getInt(own + 3) < row.getInt(own + 4)) {
            throw new IllegalArgumentException("all samples must have as many dense numbers, got samples with "
                    + row.getInt(own + 3) + " and with " + row.getInt(own + 4)
                    + ": correct them or filter them out");
        }
        long heldOut = row.getLong(own);
        long hash = 31 * row.getLong(own + 1) + row.getLong(own + 2);
        return new Counts(all.samples() - heldOut, heldOut, all.clicks() / (double) all.samples(), hash);
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
