/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.recommend.data.Batches;
import io.paritas.inference.recommend.data.GeneratedClicks;
import io.paritas.inference.recommend.data.MiniBatch;
import io.paritas.inference.recommend.data.Tables;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
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
        float[] rows = rows(shape, LongStream.of(batch.ids()));
        float[] pooled = new Pooling(TABLES, shape.dimension()).sums(batch, rows);
        float[][] found = run(OnnxNetwork.of(shape, network), inputs(shape, batch, pooled));
        try (Dlrm dlrm = Dlrm.open(shape, 1)) {
            float[] logits = dlrm.logits(batch, network, rows);
            assertThat(found).hasDimensions(9, 1);
            for (int sample = 0; sample < 9; sample++) {
                assertThat((double) found[sample][0]).isCloseTo(1 / (1 + Math.exp(-logits[sample])), within(1e-6));
            }
            assertThat(logits[0]).isNotCloseTo(logits[1], within(1e-3f));
        }
    }

    /** What looks rows up itself predicts what the other one does for the rows: the same operations on the same numbers. */
    @ParameterizedTest
    @MethodSource("shapes")
    void theTablesMayBePartOfTheNetwork(DlrmShape shape) throws OrtException {
        MiniBatch batch = Batches.of(new GeneratedClicks(TABLES, 5, 3, 1, 1), 0, 9);
        float[] network = InitialNetwork.of(shape, 1);
        List<float[]> tables = IntStream.range(0, TABLES.count())
                .mapToObj(table -> rows(shape, LongStream.range(TABLES.first(table), TABLES.first(table) + 40)))
                .toList();
        float[] rows = rows(shape, LongStream.of(batch.ids()));
        float[] pooled = new Pooling(TABLES, shape.dimension()).sums(batch, rows);
        float[][] samples = new float[9][];
        for (int sample = 0; sample < 9; sample++) {
            samples[sample] = Arrays.copyOfRange(batch.dense(), sample * 5, sample * 5 + 8);
            for (int table = 0; table < 3; table++) {
                long id = batch.ids()[batch.places()[batch.start(sample) + table]];
                samples[sample][5 + table] = id - TABLES.first(table);
            }
        }
        assertThat(run(OnnxNetwork.of(shape, network, tables), samples))
                .isDeepEqualTo(run(OnnxNetwork.of(shape, network), inputs(shape, batch, pooled)));
    }

    private static float[] rows(DlrmShape shape, LongStream ids) {
        long[] all = ids.toArray();
        float[] rows = new float[all.length * shape.dimension()];
        for (int i = 0; i < all.length; i++) {
            new InitialRows(1, shape.dimension(), 1).fill(all[i], rows, i * shape.dimension());
        }
        return rows;
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

    private static float[][] run(Graph model, float[][] inputs) throws OrtException {
        OrtEnvironment environment = OrtEnvironment.getEnvironment();
        try (OrtSession session = environment.createSession(model.toModelFile().bytes());
                OnnxTensor tensor = OnnxTensor.createTensor(environment, inputs);
                OrtSession.Result result = session.run(Map.of("inputs", tensor))) {
            return (float[][]) result.get("probability").orElseThrow().getValue();
        }
    }
}
