/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.model;

import io.paritas.spark.ecrm.data.MiniBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/** The networks on LibTorch, on the CPU, differentiated by its autograd. What a call makes is freed when it returns. */
final class TorchNetwork implements DenseNetwork {
    private final DlrmShape shape;
    private final int threads;
    /** The parameters of the call that runs. */
    private final FloatPointer memory;

    TorchNetwork(DlrmShape shape, int threads) {
        this.shape = shape;
        this.threads = threads;
        try (PointerScope scope = new PointerScope()) {
            this.memory = new FloatPointer(shape.parameterCount());
            memory.retainReference();
        }
    }

    @Override
    public Result gradients(MiniBatch batch, float[] parameters, float[] pooled) {
        LibTorch.threads(threads);
        try (PointerScope scope = new PointerScope()) {
            List<Tensor> leaves = leaves(parameters, true);
            Tensor embeddings = embeddings(batch, pooled);
            embeddings.set_requires_grad(true);
            Tensor logits = logits(leaves, dense(batch), embeddings);
            Tensor loss = torch.binary_cross_entropy_with_logits(logits, Tensor.create(batch.labels(), batch.size()));
            LibTorch.withoutDenormals(loss::backward);
            float[] gradient = new float[parameters.length];
            int offset = 0;
            for (Tensor leaf : leaves) {
                copy(leaf.grad(), gradient, offset);
                offset += (int) leaf.numel();
            }
            float[] pooledGradient = new float[pooled.length];
            copy(embeddings.grad(), pooledGradient, 0);
            return new Result(loss.item_float(), values(logits, batch.size()), gradient, pooledGradient);
        }
    }

    @Override
    public float[] logits(MiniBatch batch, float[] parameters, float[] pooled) {
        LibTorch.threads(threads);
        try (PointerScope scope = new PointerScope();
                NoGradGuard guard = new NoGradGuard()) {
            Tensor logits = logits(leaves(parameters, false), dense(batch), embeddings(batch, pooled));
            return values(logits, batch.size());
        }
    }

    /** Matrix and bias of each layer, in the order of the parameters. */
    private List<Tensor> leaves(float[] parameters, boolean differentiated) {
        memory.put(parameters, 0, parameters.length);
        List<Tensor> leaves = new ArrayList<>();
        for (List<Layer> layers : List.of(shape.bottomLayers(), shape.topLayers())) {
            for (Layer layer : layers) {
                leaves.add(torch.from_blob(memory.getPointer(layer.offset()), layer.outputs(), layer.inputs()));
                leaves.add(torch.from_blob(memory.getPointer(layer.biasOffset()), layer.outputs()));
            }
        }
        leaves.forEach(leaf -> leaf.set_requires_grad(differentiated));
        return leaves;
    }

    private Tensor dense(MiniBatch batch) {
        return Tensor.create(batch.dense(), batch.size(), shape.denseFeatures());
    }

    private Tensor embeddings(MiniBatch batch, float[] pooled) {
        return Tensor.create(pooled, batch.size(), shape.tables().count(), shape.dimension());
    }

    private Tensor logits(List<Tensor> leaves, Tensor dense, Tensor embeddings) {
        List<Layer> bottom = shape.bottomLayers();
        Tensor features = run(bottom, leaves.subList(0, 2 * bottom.size()), dense);
        Tensor inputs =
                switch (shape.interaction()) {
                    case CONCATENATION -> concat(features, embeddings.flatten(1, 2));
                    case DOT -> concat(features, innerProducts(features, embeddings));
                };
        return run(shape.topLayers(), leaves.subList(2 * bottom.size(), leaves.size()), inputs)
                .squeeze(1);
    }

    private static Tensor run(List<Layer> layers, List<Tensor> leaves, Tensor inputs) {
        Tensor values = inputs;
        for (int i = 0; i < layers.size(); i++) {
            values = torch.linear(values, leaves.get(2 * i), new TensorOptional(leaves.get(2 * i + 1)));
            if (layers.get(i).rectified()) {
                values = torch.relu(values);
            }
        }
        return values;
    }

    /** (samples, pairs): what is below the diagonal of the vectors' products, row after row. */
    private static Tensor innerProducts(Tensor features, Tensor embeddings) {
        Tensor vectors = concat(features.unsqueeze(1), embeddings);
        int count = (int) vectors.size(1);
        long[] below = IntStream.range(0, count * count)
                .filter(i -> i % count < i / count)
                .asLongStream()
                .toArray();
        return torch.bmm(vectors, vectors.transpose(1, 2))
                .flatten(1, 2)
                .index_select(1, Tensor.create(below, below.length));
    }

    private static Tensor concat(Tensor first, Tensor second) {
        TensorVector both = new TensorVector();
        both.push_back(first);
        both.push_back(second);
        return torch.cat(both, 1);
    }

    private static float[] values(Tensor tensor, int count) {
        float[] values = new float[count];
        copy(tensor.detach(), values, 0);
        return values;
    }

    private static void copy(Tensor tensor, float[] into, int offset) {
        tensor.contiguous().data_ptr_float().get(into, offset, (int) tensor.numel());
    }

    @Override
    public void close() {
        memory.close();
    }
}
