/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.ml;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.ml.util.DefaultParamsWriter$;
import org.apache.spark.ml.util.MLWriter;
import org.json4s.JObject;
import org.json4s.JString;
import org.json4s.JValue;
import scala.Option;
import scala.Tuple2;
import scala.jdk.javaapi.CollectionConverters;

/** Writes a stage as Spark does, with the hashes of the model files that its params name. */
final class ReferenceWriter extends MLWriter {
    /** The field of the metadata that holds the hashes. */
    static final String HASHES = "sha256";

    private final InferenceModel<?> model;

    ReferenceWriter(InferenceModel<?> model) {
        this.model = model;
    }

    /** Fails for want of a model file before what is there is overwritten. */
    @Override
    public void save(String path) throws IOException {
        var unused = model.hashes();
        super.save(path);
    }

    @Override
    public void saveImpl(String path) {
        List<Tuple2<String, JValue>> hashes = new ArrayList<>();
        model.hashes().forEach((file, hash) -> hashes.add(new Tuple2<>(file, new JString(hash))));
        JObject metadata = object(List.of(new Tuple2<>(HASHES, object(hashes))));
        DefaultParamsWriter$.MODULE$.saveMetadata(model, path, sparkSession(), Option.apply(metadata), Option.empty());
    }

    private static JObject object(List<Tuple2<String, JValue>> fields) {
        return new JObject(CollectionConverters.asScala(fields).toList());
    }
}
