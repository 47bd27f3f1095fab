/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples;

import io.paritas.inference.parity.Combinations;
import io.paritas.inference.spark.ml.CodedLinearModel;
import java.io.IOException;
import org.apache.spark.ml.classification.LogisticRegression;
import org.apache.spark.ml.classification.LogisticRegressionModel;
import org.apache.spark.ml.feature.VectorAssembler;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Fits a logistic regression, and predicts with it so that one late or dead task of three holds nobody up. Nothing is trained for that:
 * the regression is linear up to its last step.
 *
 * <p>Argument: the folder for the linear part and its parity model.
 */
public final class CodedRegression {
    private CodedRegression() {}

    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 1) {
            throw new IllegalArgumentException("the argument is FOLDER, such as /models/churn");
        }
        try (SparkSession spark = SparkSession.builder().getOrCreate()) {
            Dataset<Row> rows = new VectorAssembler()
                    .setInputCols(new String[] {"a", "b"})
                    .setOutputCol("features")
                    .transform(spark.range(0, 3000, 1, 2)
                            .selectExpr("id", "sin(id) AS a", "cos(3 * id) AS b")
                            .selectExpr("id", "a", "b", "IF(a + 2 * b > 0.5, 1.0, 0.0) AS label"));
            LogisticRegressionModel fitted = new LogisticRegression().fit(rows);
            CodedLinearModel coded = CodedLinearModel.of(fitted, new Combinations(2, 1), arguments[0]);

            Dataset<Row> answers = coded.transform(rows).selectExpr("id", "answer.outcome", "prediction AS coded");
            Dataset<Row> compared = answers.join(fitted.transform(rows).select("id", "prediction"), "id");
            System.out.println("rows: " + compared.count());
            System.out.println(
                    "as uncoded: " + compared.where("coded = prediction").count());
            answers.groupBy("outcome").count().orderBy("outcome").show();
        }
    }
}
