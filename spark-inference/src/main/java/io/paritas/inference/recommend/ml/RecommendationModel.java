/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.ml;

import io.paritas.PublicApi;
import io.paritas.inference.recommend.data.FeatureEncoding;
import io.paritas.inference.recommend.data.SessionFiles;
import io.paritas.inference.recommend.model.TrainedModel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.spark.ml.Model;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.DefaultParamsReader$;
import org.apache.spark.ml.util.DefaultParamsWriter$;
import org.apache.spark.ml.util.Identifiable$;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.ml.util.MLWritable;
import org.apache.spark.ml.util.MLWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import scala.Option;

/**
 * A transformer that predicts clicks: it adds the columns {@code logit FLOAT} and {@code probability FLOAT}, as {@link
 * TrainedModel#predict} does. Saving the stage copies the model, so that the saved stage can be moved. Not thread-safe, as
 * stages of Spark ML are.
 */
@PublicApi
public final class RecommendationModel extends Model<RecommendationModel> implements MLWritable {
    private static final long serialVersionUID = 1;
    private static final String PART = "model";
    private static final List<String> FEATURES = List.of("dense", "categorical");

    private final String uid;
    private final Param<String> folder;

    /** A stage with a random uid. */
    public RecommendationModel() {
        this(Identifiable$.MODULE$.randomUID("recommendation"));
    }

    /** A stage with this uid. */
    public RecommendationModel(String uid) {
        this.uid = uid;
        folder = new Param<>(uid, "folder", "folder of the trained model", String.class);
    }

    @Override
    public String uid() {
        return uid;
    }

    /** Folder of the trained model. */
    public Param<String> folder() {
        return folder;
    }

    /** Sets the folder, as {@link TrainedModel#write} wrote it. */
    public RecommendationModel setFolder(String path) {
        set(folder, path);
        return this;
    }

    /**
     * Reads the model itself, with its networks and rows.
     *
     * @throws UncheckedIOException if it cannot be read
     */
    public TrainedModel trained() {
        return read(SparkSession.active());
    }

    private TrainedModel read(SparkSession session) {
        if (!isDefined(folder)) {
            throw new IllegalArgumentException("folder must be set: " + folder.doc());
        }
        try {
            return TrainedModel.read(session, getOrDefault(folder));
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot read the model in " + getOrDefault(folder) + ": " + e.getMessage(), e);
        }
    }

    static StructType predicted(StructType schema) {
        return TrainedModel.predicted("a table", schema);
    }

    /**
     * Returns the schema with the columns that are added.
     *
     * @throws IllegalArgumentException if it has one of them
     */
    @Override
    public StructType transformSchema(StructType schema) {
        return predicted(schema);
    }

    /** Predicts for samples, or for the rows of a table with the columns that the model was trained with. */
    @Override
    public Dataset<Row> transform(Dataset<?> dataset) {
        TrainedModel model = read(dataset.sparkSession());
        Optional<FeatureEncoding> encoding = encoding(dataset.sparkSession());
        if (encoding.isEmpty() || List.of(dataset.columns()).containsAll(FEATURES)) {
            return model.predict(dataset);
        }
        return model.predict(encoding.get().features(dataset)).drop(FEATURES.toArray(String[]::new));
    }

    private Optional<FeatureEncoding> encoding(SparkSession session) {
        try {
            return TrainedModel.encoding(session, getOrDefault(folder));
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot read the encoding of the model in " + getOrDefault(folder) + ": " + e.getMessage(), e);
        }
    }

    @Override
    public RecommendationModel copy(ParamMap extra) {
        return this.<RecommendationModel>defaultCopy(extra).setParent(parent());
    }

    /** A writer of the stage and a copy of the model. */
    @Override
    public MLWriter write() {
        return new MLWriter() {
            @Override
            public void save(String path) throws IOException {
                if (isDefined(folder) && SessionFiles.isWithin(sparkSession(), getOrDefault(folder), path)) {
                    throw new IllegalArgumentException(
                            "a stage must not be saved where its model is, which would be deleted first, got " + path
                                    + ": save it to another folder");
                }
                super.save(path);
            }

            @Override
            public void saveImpl(String path) {
                try {
                    read(sparkSession()).write(new Path(path, PART).toString(), encoding(sparkSession()));
                } catch (IOException e) {
                    throw new UncheckedIOException("cannot write the model to " + path + ": " + e.getMessage(), e);
                }
                DefaultParamsWriter$.MODULE$.saveMetadata(
                        RecommendationModel.this, path, sparkSession(), Option.empty(), Option.empty());
            }
        };
    }

    /** A reader of saved stages. */
    public static MLReader<RecommendationModel> read() {
        return new MLReader<>() {
            @Override
            public RecommendationModel load(String path) {
                DefaultParamsReader.Metadata metadata = DefaultParamsReader$.MODULE$.loadMetadata(
                        path, sparkSession(), RecommendationModel.class.getName());
                return new RecommendationModel(metadata.uid()).setFolder(new Path(path, PART).toString());
            }
        };
    }

    /** Reads a saved stage. */
    public static RecommendationModel load(String path) {
        return read().load(path);
    }
}
