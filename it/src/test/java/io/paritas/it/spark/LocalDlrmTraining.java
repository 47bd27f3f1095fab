/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import io.paritas.inference.recommend.data.MiniBatch;
import io.paritas.inference.recommend.data.MiniBatches;
import io.paritas.inference.recommend.data.Samples;
import io.paritas.inference.recommend.model.Dlrm;
import io.paritas.inference.recommend.model.DlrmShape;
import io.paritas.inference.recommend.model.Gradients;
import io.paritas.inference.recommend.model.InitialNetwork;
import io.paritas.inference.recommend.model.InitialRows;
import io.paritas.inference.recommend.model.Parameter;
import io.paritas.spark.ecrm.table.Optimizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * Training in this process, without servers.
 *
 * @param losses of the batches
 * @param network what was trained
 * @param rows by id, with the optimizer's state
 */
record LocalDlrmTraining(List<Float> losses, float[] network, float[][] rows) {

    static LocalDlrmTraining train(
            DlrmShape shape, Dataset<?> samples, int batch, long seed, Optimizer ofRows, Optimizer ofNetwork) {
        int dimension = shape.dimension();
        float[][] rows = new float[(int) shape.tables().rows()][dimension + ofRows.state(dimension)];
        for (int id = 0; id < rows.length; id++) {
            InitialRows.of(shape, seed).fill(id, rows[id], 0);
        }
        float[] network = InitialNetwork.of(shape, seed);
        List<float[]> blocks = new ArrayList<>();
        for (Parameter parameter : shape.parameters()) {
            float[] block = Arrays.copyOfRange(network, parameter.offset(), parameter.offset() + parameter.length());
            blocks.add(Arrays.copyOf(block, block.length + ofNetwork.state(block.length)));
        }
        List<Float> losses = new ArrayList<>();
        try (Dlrm dlrm = Dlrm.open(shape, 1)) {
            MiniBatches batches = new MiniBatches(
                    Samples.internalRows(samples)
                            .toJavaRDD()
                            .map(InternalRow::copy)
                            .toLocalIterator(),
                    batch,
                    shape.denseFeatures(),
                    shape.tables());
            while (batches.hasNext()) {
                MiniBatch next = batches.next();
                float[] pulled = new float[next.ids().length * dimension];
                for (int i = 0; i < next.ids().length; i++) {
                    System.arraycopy(rows[(int) next.ids()[i]], 0, pulled, i * dimension, dimension);
                }
                Gradients gradients = dlrm.gradients(next, network, pulled);
                losses.add(gradients.loss());
                for (int i = 0; i < next.ids().length; i++) {
                    LocalTraining.step(ofRows, rows[(int) next.ids()[i]], dimension, gradients.rows(), i * dimension);
                }
                for (int i = 0; i < blocks.size(); i++) {
                    Parameter parameter = shape.parameters().get(i);
                    LocalTraining.step(
                            ofNetwork, blocks.get(i), parameter.length(), gradients.network(), parameter.offset());
                    System.arraycopy(blocks.get(i), 0, network, parameter.offset(), parameter.length());
                }
            }
        }
        return new LocalDlrmTraining(losses, network, rows);
    }
}
