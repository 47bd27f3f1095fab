/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

import io.paritas.inference.Device;
import io.paritas.inference.recommend.data.MiniBatch;
import io.paritas.inference.torch.LibTorch;
import io.paritas.inference.torch.ParameterMemory;
import io.paritas.inference.torch.Scope;
import io.paritas.inference.torch.Tensor;
import java.util.ArrayList;
import java.util.List;

/** The networks on LibTorch, on the CPU, differentiated by its autograd. */
final class TorchNetwork implements DenseNetwork {
    private final DlrmShape shape;
    private final int threads;
    private final ParameterMemory memory;

    TorchNetwork(DlrmShape shape, int threads) {
        this.shape = shape;
        this.threads = threads;
        this.memory = new ParameterMemory(shape.parameterCount());
    }

    @Override
    public Result gradients(MiniBatch batch, float[] parameters, float[] pooled) {
        LibTorch.start(Device.CPU, threads);
        try (Scope scope = Scope.open()) {
            List<Tensor> leaves = leaves(parameters);
            leaves.forEach(Tensor::withGradient);
            Tensor embeddings = embeddings(batch, pooled).withGradient();
            Tensor logits = logits(leaves, dense(batch), embeddings);
            Tensor loss = logits.binaryCrossEntropy(Tensor.of(Device.CPU, batch.labels(), batch.size()));
            loss.backward();
            float[] gradient = new float[parameters.length];
            int offset = 0;
            for (Tensor leaf : leaves) {
                offset = leaf.gradient(gradient, offset);
            }
            float[] pooledGradient = new float[pooled.length];
            embeddings.gradient(pooledGradient, 0);
            return new Result(loss.value(), logits.values(), gradient, pooledGradient);
        }
    }

    @Override
    public float[] logits(MiniBatch batch, float[] parameters, float[] pooled) {
        LibTorch.start(Device.CPU, threads);
        try (Scope scope = Scope.withoutGradients()) {
            return logits(leaves(parameters), dense(batch), embeddings(batch, pooled))
                    .values();
        }
    }

    /** Matrix and bias of each layer, in the order of the parameters. */
    private List<Tensor> leaves(float[] parameters) {
        memory.set(parameters);
        List<Tensor> leaves = new ArrayList<>();
        for (List<Layer> layers : List.of(shape.bottomLayers(), shape.topLayers())) {
            for (Layer layer : layers) {
                leaves.add(memory.tensor(layer.offset(), layer.outputs(), layer.inputs()));
                leaves.add(memory.tensor(layer.biasOffset(), layer.outputs()));
            }
        }
        return leaves;
    }

    private Tensor dense(MiniBatch batch) {
        return Tensor.of(Device.CPU, batch.dense(), batch.size(), shape.denseFeatures());
    }

    private Tensor embeddings(MiniBatch batch, float[] pooled) {
        return Tensor.of(Device.CPU, pooled, batch.size(), (long) shape.tables().count() * shape.dimension());
    }

    private Tensor logits(List<Tensor> leaves, Tensor dense, Tensor embeddings) {
        List<Layer> bottom = shape.bottomLayers();
        Tensor features = run(bottom, leaves.subList(0, 2 * bottom.size()), dense);
        Tensor interaction =
                switch (shape.interaction()) {
                    case CONCATENATION -> embeddings;
                    case DOT -> innerProducts(features, embeddings);
                };
        Tensor inputs = Tensor.concat(List.of(features, interaction), 1);
        return run(shape.topLayers(), leaves.subList(2 * bottom.size(), leaves.size()), inputs)
                .reshape(-1);
    }

    private static Tensor run(List<Layer> layers, List<Tensor> leaves, Tensor inputs) {
        Tensor values = inputs;
        for (int i = 0; i < layers.size(); i++) {
            values = values.linear(leaves.get(2 * i), leaves.get(2 * i + 1));
            if (layers.get(i).isRectified()) {
                values = values.relu();
            }
        }
        return values;
    }

    /** (samples, pairs): what is below the diagonal of the vectors' products, row after row. */
    private Tensor innerProducts(Tensor features, Tensor embeddings) {
        long count = shape.tables().count() + 1L;
        Tensor vectors = Tensor.concat(List.of(features, embeddings), 1).reshape(-1, count, shape.dimension());
        return vectors.matrixProduct(vectors.permute(0, 2, 1))
                .reshape(-1, count * count)
                .select(1, shape.pairs());
    }

    @Override
    public void close() {
        memory.close();
    }
}
