/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import io.paritas.inference.recommend.data.Batches;
import io.paritas.inference.recommend.data.GeneratedClicks;
import io.paritas.inference.recommend.data.MiniBatch;
import io.paritas.inference.recommend.data.Tables;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class OnnxNetworkTest {
    private static final Tables TABLES = Tables.equal(3, 40);

    static List<DlrmShape> shapes() {
        return List.of(
                new DlrmShape(5, List.of(6, 4), TABLES, 3, Interaction.CONCATENATION, List.of(7)),
                new DlrmShape(5, List.of(6, 4), TABLES, 4, Interaction.DOT, List.of(7, 3)),
                new DlrmShape(5, List.of(1), TABLES, 1, Interaction.DOT, List.of()));
    }

    /** On ONNX Runtime, which reads the file as others would. */
    @ParameterizedTest
    @MethodSource("shapes")
    void theExportedNetworkPredictsTheSame(DlrmShape shape) throws OrtException {
        MiniBatch batch = Batches.of(new GeneratedClicks(TABLES, 5, 6, 1, 1), 0, 9);
        float[] network = InitialNetwork.of(shape, 1);
        float[] rows = new float[batch.ids().length * shape.dimension()];
        for (int i = 0; i < batch.ids().length; i++) {
            new InitialRows(1, shape.dimension(), 1).fill(batch.ids()[i], rows, i * shape.dimension());
        }
        float[] pooled = new Pooling(TABLES, shape.dimension()).sums(batch, rows);
        float[][] found = run(OnnxNetwork.of(shape, network).toModelFile().bytes(), inputs(shape, batch, pooled));
        try (Dlrm dlrm = Dlrm.open(shape, 1)) {
            float[] logits = dlrm.logits(batch, network, rows);
            assertThat(found).hasDimensions(9, 1);
            for (int sample = 0; sample < 9; sample++) {
                assertThat((double) found[sample][0]).isCloseTo(1 / (1 + Math.exp(-logits[sample])), within(1e-6));
            }
            assertThat(logits[0]).isNotCloseTo(logits[1], within(1e-3f));
        }
    }

    private static float[][] inputs(DlrmShape shape, MiniBatch batch, float[] pooled) {
        int features = shape.denseFeatures();
        int sums = TABLES.count() * shape.dimension();
        float[][] inputs = new float[batch.size()][features + sums];
        for (int sample = 0; sample < batch.size(); sample++) {
            System.arraycopy(batch.dense(), sample * features, inputs[sample], 0, features);
            System.arraycopy(pooled, sample * sums, inputs[sample], features, sums);
        }
        return inputs;
    }

    private static float[][] run(byte[] model, float[][] inputs) throws OrtException {
        OrtEnvironment environment = OrtEnvironment.getEnvironment();
        try (OrtSession session = environment.createSession(model);
                OnnxTensor tensor = OnnxTensor.createTensor(environment, inputs);
                OrtSession.Result result = session.run(Map.of("inputs", tensor))) {
            return (float[][]) result.get("probability").orElseThrow().getValue();
        }
    }
}
