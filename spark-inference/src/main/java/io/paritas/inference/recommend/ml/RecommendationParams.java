/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.ml;

import io.paritas.PublicApi;
import io.paritas.inference.recommend.data.FeatureColumns;
import io.paritas.inference.recommend.data.FeatureColumns.Scale;
import io.paritas.inference.recommend.data.FeatureEncoding;
import io.paritas.inference.recommend.data.Tables;
import io.paritas.inference.recommend.train.TrainingDefaults;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.spark.ml.Estimator;
import org.apache.spark.ml.param.BooleanParam;
import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.StringArrayParam;
import org.apache.spark.sql.Dataset;

/**
 * The params of {@link RecommendationEstimator} that say what its table has, and how it is evaluated, kept and resumed. Not
 * thread-safe, as stages of Spark ML are.
 */
@PublicApi
public abstract class RecommendationParams extends Estimator<RecommendationModel> {
    private static final long serialVersionUID = 1;

    private final String uid;
    private final Param<String> labelColumn;
    private final StringArrayParam denseColumns;
    private final StringArrayParam categoricalColumns;
    private final Param<String> scale;
    private final IntParam vocabulary;
    private final DoubleParam heldOut;
    private final IntParam patience;
    private final Param<String> optimizer;
    private final Param<String> checkpoints;
    private final IntParam checkpointSeconds;
    private final BooleanParam resume;

    RecommendationParams(String uid) {
        this.uid = uid;
        labelColumn = new Param<>(uid, "labelColumn", "column with 1 or true for a click", String.class);
        denseColumns = new StringArrayParam(this, "denseColumns", "columns with numbers");
        categoricalColumns = new StringArrayParam(this, "categoricalColumns", "columns with categories");
        scale = new Param<>(uid, "scale", "none, or log for ln(1 + max(x, 0)) of dense numbers", String.class);
        vocabulary = new IntParam(uid, "vocabulary", "most categories of a column with rows of their own; 0: hashes");
        heldOut = new DoubleParam(uid, "heldOut", "share of samples for the evaluation after each epoch");
        patience = new IntParam(uid, "patience", "epochs without a better AUC that end the training; 0: never");
        optimizer = new Param<>(uid, "optimizer", "sgd, momentum, adagrad or adam", String.class);
        checkpoints =
                new Param<>(uid, "checkpoints", "folder for checkpoints, of any Hadoop file system", String.class);
        checkpointSeconds = new IntParam(uid, "checkpointSeconds", "seconds between checkpoints");
        resume = new BooleanParam(uid, "resume", "whether to go on from the newest checkpoint");
        setDefault(labelColumn, "label");
        setDefault(scale, "none");
        setDefault(vocabulary, 0);
        setDefault(heldOut, 0.0);
        setDefault(patience, 0);
        setDefault(optimizer, TrainingDefaults.OPTIMIZER);
        setDefault(checkpointSeconds, TrainingDefaults.CHECKPOINT_SECONDS);
        setDefault(resume, false);
    }

    @Override
    public final String uid() {
        return uid;
    }

    /** Column with 1 or true for a click; {@code label} by default. */
    public Param<String> labelColumn() {
        return labelColumn;
    }

    /** Columns with numbers; without them, the Dataset has the columns of samples. */
    public StringArrayParam denseColumns() {
        return denseColumns;
    }

    /** Columns with categories, each with an embedding table. */
    public StringArrayParam categoricalColumns() {
        return categoricalColumns;
    }

    /** {@code none} (the default), or {@code log} for ln(1 + max(x, 0)) of dense numbers. */
    public Param<String> scale() {
        return scale;
    }

    /** The most categories of a column that have rows of their own; 0, the default, for hashes. */
    public IntParam vocabulary() {
        return vocabulary;
    }

    /** Share of samples for the evaluation after each epoch; 0 by default. */
    public DoubleParam heldOut() {
        return heldOut;
    }

    /** Epochs without a better AUC that end the training; 0, the default, for never. */
    public IntParam patience() {
        return patience;
    }

    /** {@code sgd}, {@code momentum}, {@code adagrad} (the default) or {@code adam}, for rows and networks. */
    public Param<String> optimizer() {
        return optimizer;
    }

    /** Folder for checkpoints, of any Hadoop file system; none are written by default. */
    public Param<String> checkpoints() {
        return checkpoints;
    }

    /** Seconds between checkpoints; {@value TrainingDefaults#CHECKPOINT_SECONDS} by default. */
    public IntParam checkpointSeconds() {
        return checkpointSeconds;
    }

    /** Whether to go on from the newest checkpoint; false by default. */
    public BooleanParam resume() {
        return resume;
    }

    /** Column with 1 or true for a click; {@code label} by default. */
    public RecommendationEstimator setLabelColumn(String value) {
        return with(labelColumn, value);
    }

    /** Columns with numbers; without them, the Dataset has the columns of samples. */
    public RecommendationEstimator setDenseColumns(String... value) {
        return with(denseColumns, value);
    }

    /** Columns with categories, each with an embedding table. */
    public RecommendationEstimator setCategoricalColumns(String... value) {
        return with(categoricalColumns, value);
    }

    /** {@code none} (the default), or {@code log} for ln(1 + max(x, 0)) of dense numbers. */
    public RecommendationEstimator setScale(String value) {
        return with(scale, value);
    }

    /** The most categories of a column that have rows of their own; 0, the default, for hashes. */
    public RecommendationEstimator setVocabulary(int value) {
        return with(vocabulary, value);
    }

    /** Share of samples for the evaluation after each epoch; 0 by default. */
    public RecommendationEstimator setHeldOut(double value) {
        return with(heldOut, value);
    }

    /** Epochs without a better AUC that end the training; 0, the default, for never. */
    public RecommendationEstimator setPatience(int value) {
        return with(patience, value);
    }

    /** {@code sgd}, {@code momentum}, {@code adagrad} (the default) or {@code adam}, for rows and networks. */
    public RecommendationEstimator setOptimizer(String value) {
        return with(optimizer, value);
    }

    /** Folder for checkpoints, of any Hadoop file system; none are written by default. */
    public RecommendationEstimator setCheckpoints(String value) {
        return with(checkpoints, value);
    }

    /** Seconds between checkpoints; {@value TrainingDefaults#CHECKPOINT_SECONDS} by default. */
    public RecommendationEstimator setCheckpointSeconds(int value) {
        return with(checkpointSeconds, value);
    }

    /** Whether to go on from the newest checkpoint; false by default. */
    public RecommendationEstimator setResume(boolean value) {
        return with(resume, value);
    }

    @SuppressWarnings("unchecked")
    final <V> RecommendationEstimator with(Param<?> param, V value) {
        set((Param<V>) param, value);
        return (RecommendationEstimator) this;
    }

    final int number(IntParam param) {
        return (int) getOrDefault(param);
    }

    /** Checks the numbers that are used late: when the table is read, or not at all. */
    final void checkNumbers() {
        double share = (double) getOrDefault(heldOut);
        require(share >= 0 && share < 1, "heldOut must be at least 0 and below 1, got " + share);
        require(number(vocabulary) >= 0, "vocabulary must be at least 0, got " + number(vocabulary));
        require(number(patience) >= 0, "patience must be at least 0, got " + number(patience));
        require(
                number(patience) == 0 || share > 0,
                "patience needs samples to evaluate the model with, got patience " + number(patience) + " and heldOut "
                        + share + ": set heldOut, or no patience");
        require(
                number(checkpointSeconds) >= 1,
                "checkpointSeconds must be at least 1, got " + number(checkpointSeconds));
    }

    private static void require(boolean rule, String message) {
        if (!rule) {
            throw new IllegalArgumentException(message);
        }
    }

    private boolean isDefault(Param<?> param) {
        return getOrDefault(param).equals(getDefault(param).get());
    }

    /** The columns of the table; empty if it has those of samples. */
    final Optional<FeatureColumns> columns() {
        if (isDefined(denseColumns) != isDefined(categoricalColumns)) {
            throw new IllegalArgumentException("denseColumns and categoricalColumns must be set together, got "
                    + (isDefined(denseColumns) ? "denseColumns" : "categoricalColumns") + " alone");
        }
        if (!isDefined(denseColumns)) {
            require(
                    isDefault(labelColumn) && isDefault(scale) && isDefault(vocabulary),
                    "labelColumn, scale and vocabulary are those of a table, whose denseColumns and categoricalColumns"
                            + " must be set, got neither: set both, or leave the others out");
            return Optional.empty();
        }
        String how = getOrDefault(scale);
        Scale scaled = Arrays.stream(Scale.values())
                .filter(value -> value.name().equals(how.strip().toUpperCase(Locale.ROOT)))
                .findAny()
                .orElseThrow(() -> new IllegalArgumentException("scale must be none or log, got '" + how + "'"));
        return Optional.of(new FeatureColumns(
                getOrDefault(labelColumn),
                List.of(getOrDefault(denseColumns)),
                List.of(getOrDefault(categoricalColumns)),
                scaled));
    }

    /** The encoding of a table, which is read if there is a vocabulary. */
    final FeatureEncoding encoding(FeatureColumns columns, Dataset<?> table, long[] rows) {
        return number(vocabulary) == 0
                ? FeatureEncoding.hashed(columns, tables(columns, rows)).ofTypes(table)
                : FeatureEncoding.vocabulary(columns, table, number(vocabulary), 1);
    }

    /** One number is that of each table. */
    static Tables tables(FeatureColumns columns, long[] rows) {
        return rows.length == 1 ? Tables.equal(columns.categorical().size(), rows[0]) : Tables.of(rows);
    }
}
