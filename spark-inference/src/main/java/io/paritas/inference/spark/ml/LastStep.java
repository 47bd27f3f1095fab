/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.ml;

import static org.apache.spark.sql.functions.aggregate;
import static org.apache.spark.sql.functions.array;
import static org.apache.spark.sql.functions.array_max;
import static org.apache.spark.sql.functions.element_at;
import static org.apache.spark.sql.functions.exp;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.nanvl;
import static org.apache.spark.sql.functions.transform;
import static org.apache.spark.sql.functions.when;
import static org.apache.spark.sql.functions.zip_with;

import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.spark.ml.attribute.NominalAttribute;
import org.apache.spark.ml.attribute.NumericAttribute;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;

/** What follows the margins, as columns: that of Spark ML's own models. Null where there are no margins. */
enum LastStep {
    /** The margin is the prediction. */
    VALUE,
    /** The margin is that of class 1, whose probability is its logistic function. */
    LOGISTIC,
    /** Probabilities are the softmax of the margins. */
    SOFTMAX,
    /** The prediction is the place of the largest margin. */
    LARGEST,
    /** The margins are the prediction, as a vector. */
    COMPONENTS;

    private static final Column LEAST = lit(Double.NEGATIVE_INFINITY);
    private static final Column MOST = lit(Double.POSITIVE_INFINITY);

    /** The type of what is predicted. */
    DataType predictionType() {
        return this == LARGEST ? DataTypes.IntegerType : DataTypes.DoubleType;
    }

    /** What the column of predictions says of itself, where there are so many classes. */
    Metadata predictionMetadata(int classes) {
        return switch (this) {
            case VALUE -> NumericAttribute.defaultAttr().toMetadata();
            case LOGISTIC, SOFTMAX, LARGEST ->
                NominalAttribute.defaultAttr().withNumValues(classes).toMetadata();
            case COMPONENTS -> Metadata.empty();
        };
    }

    /**
     * What is predicted. Classes are compared by their margins, as by a model of Spark ML with a column for them; one without compares
     * probabilities, which are equal where margins are very close or very far apart. Without thresholds, a class's margin that is no
     * number is passed over, unless it is the first: it is then taken, as by Spark ML.
     */
    Column predicted(Column margins, Optional<double[]> thresholds) {
        return switch (this) {
            case VALUE -> element_at(margins, lit(1)).cast("double");
            case LOGISTIC ->
                when(nanvl(element_at(raw(margins), lit(2)), LEAST).gt(threshold(thresholds)), 1.0)
                        .when(margins.isNotNull(), 0.0);
            case SOFTMAX ->
                InferenceModel.label(thresholds
                        .map(values ->
                                zip_with(probabilities(margins), literal(values), (p, t) -> nanvl(p.divide(t), LEAST)))
                        .orElse(transform(
                                raw(margins),
                                (margin, place) -> nanvl(
                                        margin, when(place.equalTo(0), MOST).otherwise(LEAST)))));
            case LARGEST -> InferenceModel.label(margins).cast("int");
            case COMPONENTS -> InferenceModel.label(margins);
        };
    }

    /** The margins of all classes. */
    Column raw(Column margins) {
        Column first = element_at(margins, lit(1)).cast("double");
        return this == LOGISTIC
                ? when(margins.isNotNull(), array(first.unary_$minus(), first))
                : margins.cast("array<double>");
    }

    /** The probabilities of all classes. */
    Column probabilities(Column margins) {
        if (this == LOGISTIC) {
            return transform(raw(margins), margin -> lit(1.0).divide(
                            exp(margin.unary_$minus()).plus(1)));
        }
        Column powers = with(
                raw(margins), raw -> with(array_max(raw), max -> transform(raw, margin -> exp(margin.minus(max)))));
        return with(
                powers,
                all -> with(aggregate(all, lit(0.0), Column::plus), sum -> transform(all, power -> power.divide(sum))));
    }

    /** Applies a function to a column that it may use several times, and that is computed once. */
    private static Column with(Column value, UnaryOperator<Column> function) {
        return element_at(transform(array(value), function::apply), lit(1));
    }

    /** As Spark's own: of two thresholds t, class 1 needs a probability p above 1 / (1 + t0 / t1), and a margin above log(p / (1 - p)). */
    private static double threshold(Optional<double[]> thresholds) {
        double probability = thresholds
                .map(values -> values.length == 1 ? values[0] : 1 / (1 + values[0] / values[1]))
                .orElse(0.5);
        return Math.log(probability / (1 - probability));
    }

    /** A threshold of 0 means that its class is predicted, unless it is impossible. */
    private static Column literal(double[] thresholds) {
        Column[] values = new Column[thresholds.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = lit(Math.max(thresholds[i], Double.MIN_VALUE));
        }
        return array(values);
    }
}
