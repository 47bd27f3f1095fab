/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.ml;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.paritas.inference.ModelException;
import java.util.Map;
import java.util.function.Function;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.DefaultParamsReader$;
import org.apache.spark.ml.util.MLReader;
import scala.Option;

/** Reads a stage that {@link ReferenceWriter} wrote. Refuses it if a model file has changed since. */
final class ReferenceReader<M extends InferenceModel<M>> extends MLReader<M> {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Class<M> type;
    private final Function<String, M> create;

    /** @param create makes a stage with a given uid */
    ReferenceReader(Class<M> type, Function<String, M> create) {
        this.type = type;
        this.create = create;
    }

    /** @throws ModelException if a model file has changed since the stage was saved */
    @Override
    public M load(String path) {
        DefaultParamsReader.Metadata metadata =
                DefaultParamsReader$.MODULE$.loadMetadata(path, sparkSession(), type.getName());
        M model = create.apply(metadata.uid());
        metadata.getAndSetParams(model, Option.empty());
        JsonNode saved = hashes(path, metadata.metadataJson());
        Map<String, String> found = model.hashes();
        for (Map.Entry<String, String> file : found.entrySet()) {
            String hash = saved.path(file.getKey()).asText("none");
            if (!hash.equals(file.getValue())) {
                throw new ModelException("the model files of the saved stage " + path + " must not change, '"
                        + file.getKey() + "' had the SHA-256 " + hash + ", now it has " + file.getValue()
                        + ": bring the file back, or make the stage again for the new one");
            }
        }
        saved.fieldNames().forEachRemaining(file -> {
            if (!found.containsKey(file)) {
                throw new ModelException("the saved stage " + path + " had a model file '" + file
                        + "' with the SHA-256 " + saved.path(file).asText()
                        + ", now there is none: bring the file back, or make the stage again");
            }
        });
        return model;
    }

    private static JsonNode hashes(String path, String metadata) {
        try {
            return JSON.readTree(metadata).path(ReferenceWriter.HASHES);
        } catch (JsonProcessingException e) {
            throw new ModelException("the metadata of " + path + " are damaged: " + e.getOriginalMessage(), e);
        }
    }
}
