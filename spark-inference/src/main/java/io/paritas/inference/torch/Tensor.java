/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import io.paritas.inference.Device;
import io.paritas.inference.ModelException;
import io.paritas.inference.torch.Functions.Padding;
import io.paritas.inference.torch.Functions.Reduced;
import io.paritas.inference.torch.Functions.Rounding;
import io.paritas.inference.torch.Network.Mode;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.List;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.pytorch.LongOptional;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.ScalarOptional;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/**
 * An array of numbers in native memory, with operations that record gradients. Shapes are row-major; the first dimension is the
 * batch. Operations return new tensors, which live until their {@link Scope} closes. Any number of threads may read a tensor.
 */
public final class Tensor implements AutoCloseable {
    private final org.bytedeco.pytorch.Tensor raw;

    Tensor(org.bytedeco.pytorch.Tensor raw) {
        this.raw = raw;
    }

    /** A copy of float32 values. */
    public static Tensor of(Device device, float[] values, long... shape) {
        return of(Place.of(device), values, shape);
    }

    static Tensor of(Place place, float[] values, long... shape) {
        return new Tensor(org.bytedeco.pytorch.Tensor.create(values, shape)).on(place);
    }

    /** A copy of class indices, int64, for {@link #crossEntropy(Tensor)}. */
    public static Tensor ofClasses(Device device, int[] classes) {
        long[] values = Arrays.stream(classes).asLongStream().toArray();
        return new Tensor(org.bytedeco.pytorch.Tensor.create(values, values.length)).on(Place.of(device));
    }

    /**
     * The remaining float32 values of a direct buffer, not copied if the device can read them there. The buffer must not change
     * until the scope closes.
     */
    static Tensor over(Place place, FloatBuffer values, long... shape) {
        /* A slice, because from_blob takes a pointer to void, whose position counts bytes. */
        return new Tensor(torch.from_blob(new FloatPointer(values.slice()), shape)).on(place);
    }

    private Tensor on(Place place) {
        return place.device() == Device.CUDA ? new Tensor(raw.to(place.libTorchs(), raw.scalar_type())) : this;
    }

    /** Sizes of the dimensions. */
    public long[] shape() {
        return raw.sizes().vec().get();
    }

    /** Size of one dimension. */
    public long size(int dimension) {
        return raw.size(dimension);
    }

    /** Number of values. */
    long count() {
        return raw.numel();
    }

    /** A copy of all float32 values, row-major. */
    public float[] values() {
        float[] values = new float[Math.toIntExact(raw.numel())];
        try (Scope scope = Scope.withoutGradients()) {
            onCpu().get(values);
        }
        return values;
    }

    /** Copies all float32 values into a direct buffer, whose position advances. */
    void values(FloatBuffer into) {
        try (Scope scope = Scope.withoutGradients()) {
            into.put(onCpu().limit(raw.numel()).asByteBuffer().asFloatBuffer());
        }
    }

    /** Requests the gradient of this tensor, which must not be the result of an operation; returns it. */
    public Tensor withGradient() {
        raw.requires_grad_(true);
        return this;
    }

    /** Computes the gradients of this value by all tensors {@linkplain #withGradient with gradient} that it depends on. */
    public void backward() {
        LibTorch.withoutDenormals(() -> {
            raw.backward();
            return raw;
        });
    }

    /** Copies the gradient, row-major, into an array from an offset on; returns its end. */
    public int gradient(float[] into, int offset) {
        int count = Math.toIntExact(raw.numel());
        try (Scope scope = Scope.withoutGradients()) {
            new Tensor(raw.grad()).onCpu().get(into, offset, count);
        }
        return offset + count;
    }

    /** The gradient, which a {@link #backward} has computed. */
    public Tensor gradient() {
        return new Tensor(raw.grad());
    }

    /** The values on the CPU; the pointer is valid until the scope closes. */
    private FloatPointer onCpu() {
        if (!isFloat()) {
            throw new ModelException("values must be float32, this tensor's are "
                    + raw.scalar_type().intern());
        }
        return raw.detach().cpu().contiguous().data_ptr_float();
    }

    boolean isFloat() {
        return raw.scalar_type().intern() == torch.ScalarType.Float;
    }

    /**
     * Overwrites the values.
     *
     * @throws ModelException if the shape is not this tensor's
     */
    void set(float[] values, long... shape) {
        if (!Arrays.equals(shape, shape())) {
            throw new ModelException(
                    "a weight of shape " + Arrays.toString(shape()) + " cannot take one of " + Arrays.toString(shape));
        }
        try (Scope scope = Scope.withoutGradients()) {
            raw.copy_(org.bytedeco.pytorch.Tensor.create(values, shape));
        }
    }

    /** The only value. */
    public float value() {
        return raw.item_float();
    }

    public Tensor plus(Tensor other) {
        return new Tensor(raw.add(other.raw));
    }

    public Tensor plus(double value) {
        return new Tensor(raw.add(new Scalar(value)));
    }

    public Tensor minus(Tensor other) {
        return new Tensor(raw.sub(other.raw));
    }

    public Tensor times(Tensor other) {
        return new Tensor(raw.mul(other.raw));
    }

    public Tensor times(double factor) {
        return new Tensor(raw.mul(new Scalar(factor)));
    }

    Tensor dividedBy(Tensor other) {
        return new Tensor(raw.div(other.raw));
    }

    /** Multiplies matrices in the last two dimensions, one for each index of those before. */
    public Tensor matrixProduct(Tensor other) {
        return new Tensor(raw.matmul(other.raw));
    }

    public Tensor relu() {
        return new Tensor(torch.relu(raw));
    }

    Tensor leakyRelu(double slope) {
        return new Tensor(torch.leaky_relu(raw, new Scalar(slope)));
    }

    Tensor sigmoid() {
        return new Tensor(raw.sigmoid());
    }

    Tensor tanh() {
        return new Tensor(raw.tanh());
    }

    Tensor softmax(long dimension) {
        return new Tensor(raw.softmax(dimension));
    }

    Tensor clip(double low, double high) {
        return new Tensor(raw.clamp(new ScalarOptional(new Scalar(low)), new ScalarOptional(new Scalar(high))));
    }

    Tensor dropout(double probability) {
        return new Tensor(torch.dropout(raw, probability, true));
    }

    /** This tensor (…, inputs) times the transposed matrix (outputs, inputs), plus a bias or null. */
    public Tensor linear(Tensor matrix, Tensor bias) {
        return new Tensor(torch.linear(raw, matrix.raw, optional(bias)));
    }

    /** Pairs are (height, width). */
    Tensor convolution(Tensor kernel, Tensor bias, long[] strides, long[] padding, long[] dilations, long groups) {
        return new Tensor(torch.conv2d(raw, kernel.raw, optional(bias), strides, padding, dilations, groups));
    }

    /** Normalises by the running mean and variance; in training by the batch's, which then update the running ones. */
    Tensor batchNorm(
            Tensor scale, Tensor shift, Tensor mean, Tensor variance, double momentum, double epsilon, Mode mode) {
        return new Tensor(torch.batch_norm(
                raw,
                optional(scale),
                optional(shift),
                optional(mean),
                optional(variance),
                mode == Mode.TRAINING,
                momentum,
                epsilon,
                false));
    }

    Tensor maxPool(long[] kernel, long[] strides, long[] padding, long[] dilations, Rounding rounding) {
        return new Tensor(torch.max_pool2d(raw, kernel, strides, padding, dilations, rounding == Rounding.UP));
    }

    Tensor averagePool(long[] kernel, long[] strides, long[] padding, Rounding rounding, Padding counting) {
        return new Tensor(torch.avg_pool2d(
                raw,
                kernel,
                strides,
                padding,
                rounding == Rounding.UP,
                counting == Padding.COUNTED,
                new LongOptional()));
    }

    /** Means over dimensions. */
    Tensor mean(long[] dimensions, Reduced reduced) {
        return new Tensor(raw.mean(dimensions, reduced == Reduced.KEPT, new ScalarTypeOptional()));
    }

    /** Pads with a constant; widths are (before, after) for each dimension, from the last to the first. */
    Tensor pad(double value, long... widths) {
        return new Tensor(torch.constant_pad_nd(raw, widths, new Scalar(value)));
    }

    public Tensor reshape(long... shape) {
        return new Tensor(raw.reshape(shape));
    }

    /** The dimensions in another order. */
    public Tensor permute(long... order) {
        return new Tensor(raw.permute(order));
    }

    /** A part of one dimension. */
    public Tensor slice(int dimension, long from, long length) {
        return new Tensor(raw.narrow(dimension, from, length));
    }

    /** Selects indices of one dimension, in this order. */
    public Tensor select(int dimension, long... places) {
        return new Tensor(raw.index_select(dimension, org.bytedeco.pytorch.Tensor.create(places, places.length)));
    }

    /** Concatenates tensors in one dimension. */
    public static Tensor concat(List<Tensor> parts, long dimension) {
        TensorVector vector = new TensorVector();
        parts.forEach(part -> vector.push_back(part.raw));
        return new Tensor(torch.cat(vector, dimension));
    }

    /** Mean over all values. */
    public Tensor mean() {
        return new Tensor(raw.mean());
    }

    /** Sum over all values. */
    public Tensor sum() {
        return new Tensor(raw.sum());
    }

    /** Mean over all values of the squared difference from a target of the same shape. */
    public Tensor meanSquaredError(Tensor target) {
        if (!Arrays.equals(shape(), target.shape())) { // LibTorch would repeat one of them
            throw new IllegalArgumentException("a target must have the shape of what is compared with it, "
                    + Arrays.toString(shape()) + ", got " + Arrays.toString(target.shape()));
        }
        return new Tensor(torch.mse_loss(raw, target.raw));
    }

    /**
     * Mean over rows of the cross entropy between the softmax of this and a target: class indices (rows), or probabilities
     * (rows, classes).
     */
    public Tensor crossEntropy(Tensor target) {
        return new Tensor(torch.cross_entropy(raw, target.raw));
    }

    /** Mean over all values of the cross entropy between the sigmoid of this and labels from 0 to 1. */
    public Tensor binaryCrossEntropy(Tensor labels) {
        return new Tensor(torch.binary_cross_entropy_with_logits(raw, labels.raw));
    }

    /** Mean over rows of the Kullback-Leibler divergence of the softmax of this from the softmax of the target. */
    public Tensor divergence(Tensor target) {
        org.bytedeco.pytorch.Tensor wanted = target.raw.log_softmax(1);
        org.bytedeco.pytorch.Tensor found = raw.log_softmax(1);
        return new Tensor(wanted.exp().mul(wanted.sub(found)).sum().div(new Scalar((double) size(0))));
    }

    /** The same values without recorded gradients. */
    public Tensor detach() {
        return new Tensor(raw.detach());
    }

    /** Frees the memory before the scope closes. */
    @Override
    public void close() {
        raw.close();
    }

    /** @throws ModelException if it has values that are not finite; the message is about a trained network */
    void requireFinite(String name) {
        if (!raw.isfinite().all().item_bool()) {
            throw new ModelException("a trained network must have finite values, '" + name + "' has others: use larger"
                    + " batches, as a batch normalisation needs more than one row, or a lower learning rate");
        }
    }

    org.bytedeco.pytorch.Tensor raw() {
        return raw;
    }

    private static TensorOptional optional(Tensor tensor) {
        return tensor == null ? new TensorOptional() : new TensorOptional(tensor.raw);
    }

    /** The shape, and the type if it is not float32. */
    @Override
    public String toString() {
        return "tensor " + Arrays.toString(shape())
                + (isFloat() ? "" : " of " + raw.scalar_type().intern());
    }
}
