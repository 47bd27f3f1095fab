/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeMap;
import org.apache.spark.sql.catalyst.plans.logical.ColumnStat;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Statistics;
import org.apache.spark.sql.catalyst.plans.logical.statsEstimation.EstimationUtils$;
import scala.Option;
import scala.Tuple2;
import scala.math.BigInt;

/**
 * How large the rows of a prediction are. Spark by itself takes an array for one value, and would send the predictions of
 * a whole table to every executor.
 */
final class Estimate {
    /* A struct with an array, its outcome, and their lengths. */
    private static final long WITHOUT_VALUES = 64;

    private Estimate() {}

    /**
     * The statistics of a prediction's rows.
     *
     * @param outputs number of values of a prediction
     */
    static Statistics of(Prediction prediction, int outputs) {
        LogicalPlan child = prediction.child();
        Statistics below = child.stats();
        long answer = WITHOUT_VALUES + (long) Float.BYTES * outputs;
        AttributeMap<ColumnStat> columns = EstimationUtils$.MODULE$
                .getOutputMap(below.attributeStats(), prediction.output())
                .$plus(new Tuple2<Attribute, ColumnStat>(prediction.result(), column(answer)));
        BigInteger row = EstimationUtils$.MODULE$
                .getSizePerRow(prediction.output(), columns)
                .bigInteger();
        BigInteger size = rows(child).multiply(row).max(BigInteger.ONE);
        return new Statistics(new BigInt(size), below.rowCount(), columns, false);
    }

    private static ColumnStat column(long bytes) {
        return new ColumnStat(
                Option.empty(),
                Option.empty(),
                Option.empty(),
                Option.apply(new BigInt(BigInteger.ZERO)),
                Option.apply(bytes),
                Option.apply(bytes),
                Option.empty(),
                ColumnStat.apply$default$8());
    }

    /** The number of rows of a plan, rounded up. */
    private static BigInteger rows(LogicalPlan plan) {
        Statistics stats = plan.stats();
        if (stats.rowCount().isDefined()) {
            return stats.rowCount().get().bigInteger();
        }
        if (plan instanceof Project project) { // Spark does not hand the number on
            return rows(project.child());
        }
        BigInteger row = EstimationUtils$.MODULE$
                .getSizePerRow(plan.output(), stats.attributeStats())
                .bigInteger();
        return new BigDecimal(stats.sizeInBytes().bigInteger())
                .divide(new BigDecimal(row), 0, RoundingMode.CEILING)
                .toBigInteger();
    }
}
