/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples;

import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.PooledModel;
import io.paritas.inference.code.Codes;
import io.paritas.inference.parity.PredictionCode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Predicts a coding group in one JVM, loses the first prediction, and reconstructs it from the others and from the answer to their
 * parity query.
 *
 * <p>Arguments: the deployed model, and the folder of its parity models, which {@code paritas train parity} makes, or of its
 * learned code, which {@code paritas train code} makes.
 */
public final class CodedInference {
    private CodedInference() {}

    public static void main(String[] arguments) {
        if (arguments.length != 2) {
            throw new IllegalArgumentException("the arguments are MODEL CODE, such as models/base.onnx models");
        }
        ModelFile file = ModelFile.read(Path.of(arguments[0]));
        PredictionCode code = Codes.read(Path.of(arguments[1]));
        code.bundle().requireFor(file);
        try (Model deployed = ModelEngines.load(file, ModelOptions.DEFAULT);
                Model parityModel = ModelEngines.load(code.answering(0, file), ModelOptions.DEFAULT)) {
            List<float[]> queries = queries(code.plan().k(), deployed.input().size());
            float[][] predictions = queries.stream().map(deployed::predict).toArray(float[][]::new);
            float[] parityQuery = code.plan()
                    .encoder(deployed.input().shape(), role -> network(code, role))
                    .encode(queries, 0);
            float[] parityPrediction = parityModel.predict(parityQuery);

            float[] lost = predictions[0];
            predictions[0] = null;
            float[][] answers = new float[code.plan().r()][];
            answers[0] = parityPrediction;
            code.plan().decoder(role -> network(code, role)).decode(predictions, answers);

            System.out.println("predicted:     " + Arrays.toString(lost));
            System.out.println("reconstructed: " + Arrays.toString(predictions[0]));
        }
    }

    /** A network that encodes or decodes; parity models need none. */
    private static Model network(PredictionCode code, String role) {
        return PooledModel.shared(code.networks().get(role), ModelOptions.DEFAULT);
    }

    private static List<float[]> queries(int count, int values) {
        Random random = new Random(1);
        List<float[]> queries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            float[] query = new float[values];
            for (int j = 0; j < values; j++) {
                query[j] = random.nextFloat();
            }
            queries.add(query);
        }
        return queries;
    }
}
