/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.inference.spark.settings.EngineSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.spark.sql.AnalysisException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Wrong calls are refused when the query is analysed. */
class RefusalsTest {
    @RegisterExtension
    static final LocalSession LOCAL = new LocalSession();

    @TempDir
    private Path folder;

    private static void refused(String query, String... messages) {
        assertThatThrownBy(() -> LOCAL.sql(query))
                .isInstanceOf(AnalysisException.class)
                .hasMessageContainingAll(messages)
                .hasMessageNotContaining("INTERNAL_ERROR");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        predict($model) | predict takes the path of a model, then its input: a column or several, then a map of options if there are any; got '/
        predict() | a map of options if there are any; got nothing
        predict(concat($model, string(id)), x) | the first argument of predict must be the path of a model, a constant text; got concat('
        predict(1, x) | the first argument of predict must be the path of a model, a constant text; got 1
        predict(null, x) | the first argument of predict must be the path of a model, a constant text; got NULL
        predict(model => $model, x => x) | predict takes its arguments by their places, got one with the name model: leave out the name
        predict($model, map('batchRows', '8')) | predict takes the path of a model, then its input: a column or several
        predict($model, 'x') | which cannot be the model's input input (3): use one column of binary values
        predict($model, string(id)) | is string, which cannot be the model's input input (3): use one column of binary values (spark.paritas.input.type says what they hold), arrays of numbers, Spark ML vectors or Spark images, or 3 numeric columns
        predict($model, id, id) | the model's input input (3) must be one column of binary values
        predict($model, id, id) | or 3 numeric columns, got 2 numeric columns
        predict($model, x, map('rows', '8')) | an option must be one of type, batchRows, batchBytes, onError, engine, protect,
        predict($model, x, map('batchRows', 'many')) | spark.paritas.engine.batchRows (option batchRows) must be a whole number of at least 0, got 'many'
        predict($model, x, map('batchRows', string(null))) | the option 'batchRows' must not be null: leave it out
        predict($model, x, map('batchRows', 8)) | the options must be a constant map of texts, such as map('batchRows', '64'); got map('batchRows', 8)
        predict($model, x, map('batchRows', string(id))) | the options must be a constant map of texts, such as map('batchRows', '64'); got map('batchRows', CAST(
        predict($model, x, map(null, '7')) | the options must be a constant map of texts, such as map('batchRows', '64'); got map(NULL, '7')
        predict($model, x, cast(null AS map<void, void>)) | the options must be a constant map of texts, such as map('batchRows', '64'); got NULL
        predict($model, x, cast(null AS map<string, string>)) | the options must be a constant map of texts, such as map('batchRows', '64'); got NULL
        predict($model, x, map('onError', 'ignore')) | spark.paritas.engine.onError (option onError) must be one of fail, null, column, got 'ignore'
        predict($model, x, map('device', 'tpu')) | spark.paritas.engine.device (option device) must be one of auto, cpu, cuda, got 'tpu'
        predict($model, x, map('engine', 'caffe')) | caffe
        predict($model, x, map('threads', '0')) | spark.paritas.engine.threads (option threads) must be a whole number of at least 1, got '0'
        predict($model, x, map('share', '1.5')) | spark.paritas.coded.share (option share) must be a number from 0 to 1, got '1.5'
        predict($model, x, map('share', 'NaN')) | must be a number from 0 to 1, got 'NaN'
        predict($model, x, map('patience', '0.5')) | spark.paritas.coded.patience (option patience) must be a number of at least 1, got '0.5'
        predict($model, x, map('deadline', '-1')) | spark.paritas.coded.deadline (option deadline) must be 0 or a duration with a unit from us to d, such as 200ms, 5s or 1min, got '-1'
        predict($model, x, map('minAccuracy', 'good')) | spark.paritas.coded.minAccuracy (option minAccuracy) must be a number from 0 to 1, got 'good'
        predict($model, x, map('taskGpus', '-1')) | spark.paritas.engine.taskGpus (option taskGpus) must be a whole number of at least 0, or a share of one such as 0.5, got '-1'
        predict($model, x, map('taskGpus', '1.5')) | (option taskGpus) must be a whole number of at least 0, or a share of one such as 0.5, got '1.5'
        predict($model, x, map('layout', 'nhwc')) | spark.paritas.input.layout can be nhwc only if the model's input is an image
        predict($model, x, map('shape', '3,x')) | spark.paritas.input.shape (option shape) must be positive whole numbers with commas between them, such as 3,32,32, got '3,x'
        coded_predict($model, x, map('r', '2')) | the parity models are r = 1, spark.paritas.coded.r is 2: train more of them, or ask for fewer
        coded_predict($model, x, map('segments', '4')) | spark.paritas.coded.segments (option segments) must be a multiple of k + r = 3, got '4'
        folded_predict($model, x) | is no descriptor of models, a JSON file that bin/paritas train writes, such as parity.json or folded.json: name that file, or its folder (
        predict($model, x, map('deadline', '5s')) | the option deadline is one of coded_predict, got it for predict: leave it out, or call coded_predict
        coded_predict($model, x, map('threshold', '0.5')) | the option threshold is one of cascade_predict, got it for coded_predict: leave it out, or call cascade_predict
        predict($model, x, map('protectPlan', '/nowhere', 'protect', 'thread')) | the option protectPlan is for protect=guided, got protect=thread: leave it out, or ask for guided protection
        predict($model, x, map('onError', 'null', 'ONERROR', 'fail')) | every option must be given once, onError is given as 'null' and as 'fail': leave one out
        """)
    void refuses(String call, String message) {
        refused("SELECT " + call + " FROM t", message);
    }

    @Test
    void modelsThatAreNotThere() {
        refused(
                "SELECT predict('/nowhere/model.onnx', x) FROM t",
                "there must be a model at '/nowhere/model.onnx', no such file is there on the driver"
                        + " (/nowhere/model.onnx): give a path that the driver can read, such as hdfs://...");
        refused(
                "SELECT predict('file:/nowhere/model.onnx', x) FROM t",
                "there must be a model at 'file:/nowhere/model.onnx', no such file is there");
        refused(
                "SELECT predict('file:model.onnx', x) FROM t",
                "a path with the scheme file must be absolute, such as file:///models/model.onnx; got 'file:model.onnx'");
        refused("SELECT folded_predict('/nowhere', x) FROM t", "there must be a model at '/nowhere'");
        refused(
                "SELECT predict('nofs://nowhere/model.onnx', x) FROM t",
                "the model 'nofs://nowhere/model.onnx' cannot be fetched: ");
        refused(
                "SELECT coded_predict($model, x, map('parity', '/nowhere')) FROM t",
                "the option parity must name parity.json or learned.json or the folder of it, got '/nowhere', which is not"
                        + " there on the driver (/nowhere): give a path that the driver can read");
        refused(
                "SELECT predict('" + folder + "', x) FROM t",
                "a model must be named by its file, got the folder '" + folder + "': name the file in it, such as "
                        + folder + "/base.onnx");
    }

    @Test
    void damagedModels() throws IOException {
        Path file = Files.write(folder.resolve("model.onnx"), new byte[] {1, 2, 3});
        refused(
                "SELECT predict('" + file + "', x) FROM t",
                "a model must be ONNX (protobuf) or TorchScript (zip), " + file + " is neither: ");
        Files.write(folder.resolve("empty.onnx"), new byte[0]);
        refused(
                "SELECT predict('" + folder.resolve("empty.onnx") + "', x) FROM t",
                "a model must have bytes, ",
                "empty.onnx is empty: was it written completely?");
    }

    @Test
    void withoutParityModels() {
        Path model = LocalSession.MODEL.write(folder);
        refused(
                "SELECT coded_predict('" + model + "', x) FROM t",
                "coded_predict needs parity models, and there is no parity.json or learned.json beside " + model
                        + ": say where they are with the option parity, make them with bin/paritas train parity, or"
                        + " call predict");
    }

    @Test
    void parityModelsOfAnotherModel() {
        Path model = ExactModel.of(3, 2, 99).write(folder);
        LocalSession.MODEL.parity(2, 1, Map.of()).write(folder);
        refused(
                "SELECT coded_predict('" + model + "', x) FROM t",
                "a parity bundle works only with the model that it was made for, with SHA-256 "
                        + LocalSession.MODEL.file().sha256() + "; the deployed model has "
                        + ExactModel.of(3, 2, 99).file().sha256()
                        + ": train the bundle again whenever the model changes");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        SELECT * FROM t a LEFT JOIN t b ON predict($model, a.id, b.id, a.id).prediction[0] > 0 | columns of both sides in the condition of a LEFT OUTER join: call it in a subquery over an inner join, and join with that
        SELECT * FROM t a LEFT ANTI JOIN t b ON predict($model, a.id, b.id, a.id).prediction[0] > 0 | columns of both sides in the condition of a LEFT ANTI join: call it in a subquery over an inner join, and join with that
        SELECT * FROM t a LEFT JOIN LATERAL (SELECT id FROM t WHERE id > a.id) b ON predict($model, a.id, b.id, a.id).prediction[0] > 0 | columns of both sides in the condition of a LEFT OUTER join: call it in a subquery over an inner join, and join with that
        SELECT transform(array(x), v -> predict($model, v)) FROM t | the elements of an array: explode the array in a subquery, predict there, and collect the answers with collect_list and GROUP BY
        SELECT (SELECT max(transform(array(t.x), v -> predict($model, v).prediction[0])[0]) FROM t b WHERE b.id = t.id) FROM t | the elements of an array: explode the array in a subquery
        """)
    void placesWhereNoCallCanBe(String query, String reason) {
        refused(query, "predict cannot be called on " + reason);
    }

    /** In a view, Spark hides from SQLConf what it does not know itself. */
    @Test
    void settingsOfTheSessionHoldInViews() {
        LOCAL.spark().conf().set(EngineSettings.ON_ERROR.key(), "column");
        LOCAL.sql("CREATE OR REPLACE TEMP VIEW answered AS SELECT id, predict($model, x) AS p FROM t");
        assertThat(LOCAL.sql("SELECT p.error FROM answered").collectAsList()).hasSize(LocalSession.ROWS);
        LOCAL.spark().conf().unset(EngineSettings.ON_ERROR.key());
        LOCAL.sql("CREATE OR REPLACE TEMP VIEW coded AS SELECT coded_predict($model, x) FROM t");
        LOCAL.spark().conf().set(CodedSettings.PARITY.key(), "/nowhere");
        refused("SELECT * FROM coded", "or the folder of it, got '/nowhere', which is not there");
        LOCAL.spark().conf().unset(CodedSettings.PARITY.key());
    }

    /** Settings of the session are checked as the options are. */
    @Test
    void settingsOfTheSession() {
        LOCAL.spark().conf().set(EngineSettings.BATCH_ROWS.key(), "-1");
        refused(
                "SELECT predict($model, x) FROM t",
                "spark.paritas.engine.batchRows (option batchRows) must be a whole number of at least 0, got '-1'");
        LOCAL.spark().conf().unset(EngineSettings.BATCH_ROWS.key());
        LOCAL.spark().conf().set(CodedSettings.ENABLED.key(), "maybe");
        refused(
                "SELECT coded_predict($model, x) FROM t",
                "spark.paritas.coded.enabled must be true or false, got 'maybe'");
    }
}
