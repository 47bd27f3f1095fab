/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import io.paritas.inference.ModelException;
import io.paritas.inference.torch.Network.Mode;
import java.util.List;

/** Runs functions on tensors at once. */
record Eager(Mode mode) implements Functions<Tensor> {

    @Override
    public Tensor sum(Tensor left, Tensor right) {
        return left.plus(right);
    }

    @Override
    public Tensor difference(Tensor left, Tensor right) {
        return left.minus(right);
    }

    @Override
    public Tensor product(Tensor left, Tensor right) {
        return left.times(right);
    }

    @Override
    public Tensor quotient(Tensor left, Tensor right) {
        return left.dividedBy(right);
    }

    @Override
    public Tensor matrixProduct(Tensor left, Tensor right) {
        return left.matrixProduct(right);
    }

    @Override
    public Tensor linear(Tensor rows, Tensor matrix, Tensor bias) {
        return rows.linear(matrix, bias);
    }

    @Override
    public Tensor convolution(
            Tensor image, Tensor kernel, Tensor bias, long[] strides, long[] padding, long[] dilations, long groups) {
        return image.convolution(kernel, bias, strides, padding, dilations, groups);
    }

    @Override
    public Tensor batchNorm(
            Tensor rows, Tensor scale, Tensor shift, Tensor mean, Tensor variance, double momentum, double epsilon) {
        if (mode == Mode.TRAINING && rows.count() == rows.size(1)) {
            throw new ModelException(
                    "a batch normalisation is trained with at least 2 values of each channel, got one of each of "
                            + rows.size(1) + ": its variance would become NaN; use larger batches, or more data");
        }
        return rows.batchNorm(scale, shift, mean, variance, momentum, epsilon, mode);
    }

    @Override
    public Tensor maxPool(
            Tensor image, long[] kernel, long[] strides, long[] padding, long[] dilations, Rounding rounding) {
        return image.maxPool(kernel, strides, padding, dilations, rounding);
    }

    @Override
    public Tensor averagePool(
            Tensor image, long[] kernel, long[] strides, long[] padding, Rounding rounding, Padding counting) {
        return image.averagePool(kernel, strides, padding, rounding, counting);
    }

    @Override
    public Tensor relu(Tensor of) {
        return of.relu();
    }

    @Override
    public Tensor leakyRelu(Tensor of, double slope) {
        return of.leakyRelu(slope);
    }

    @Override
    public Tensor sigmoid(Tensor of) {
        return of.sigmoid();
    }

    @Override
    public Tensor tanh(Tensor of) {
        return of.tanh();
    }

    @Override
    public Tensor softmax(Tensor of, long dimension) {
        return of.softmax(dimension);
    }

    @Override
    public Tensor clip(Tensor of, double low, double high) {
        return of.clip(low, high);
    }

    @Override
    public Tensor dropout(Tensor of, double probability) {
        return mode == Mode.TRAINING ? of.dropout(probability) : copy(of);
    }

    @Override
    public Tensor mean(Tensor of, long[] dimensions, Reduced reduced) {
        return of.mean(dimensions, reduced);
    }

    @Override
    public Tensor pad(Tensor of, double value, long... widths) {
        return of.pad(value, widths);
    }

    @Override
    public Tensor reshape(Tensor of, long... shape) {
        long[] sizes = shape.clone();
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = sizes[i] == 0 ? of.size(i) : sizes[i];
        }
        return of.reshape(sizes);
    }

    @Override
    public Tensor concat(List<Tensor> parts, long dimension) {
        return Tensor.concat(parts, dimension);
    }

    /** A new tensor, because each is closed on its own. */
    @Override
    public Tensor copy(Tensor of) {
        return of.times(1);
    }
}
