/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.learned;

import io.paritas.PublicApi;
import io.paritas.inference.Model;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Networks;
import io.paritas.inference.parity.GroupCode;
import io.paritas.inference.torch.Tensor;
import java.util.List;
import java.util.function.Function;

/**
 * The code to learn.
 *
 * @param k queries of a group, 2 to 16
 * @param r parity queries, 1 to k, and so few that at most 10,000 cases of losses and answers are to be learned
 * @param encoder kind of the encoder's network
 * @param loss loss of a reconstruction
 * @param channels how the channels of colour images meet in the encoder
 * @param decoder widths of the decoder's network
 */
@PublicApi
public record CodePlan(
        int k, int r, EncoderKind encoder, Loss loss, ChannelMix channels, Networks.DecoderLayers decoder)
        implements GroupCode {
    private static final long serialVersionUID = 1;

    /** Of a layer: a file has 2 GiB at most. */
    private static final int MOST_WEIGHTS = Integer.MAX_VALUE / Float.BYTES;

    /** Each is reconstructed in each step of the training. */
    private static final int MOST_SCENARIOS = 10_000;

    /** A plan with the decoder of the published program. */
    public CodePlan(int k, int r, EncoderKind encoder, Loss loss, ChannelMix channels) {
        this(k, r, encoder, loss, channels, Networks.DecoderLayers.PROGRAM);
    }

    /** Networks of the encoder (thesis, table 7.1). */
    public enum EncoderKind {
        /** Fully connected, over the pixels of one channel of all k images. */
        MLP,
        /** Convolutions with growing dilation, the k images as channels. */
        CONV
    }

    /** How the channels of a group's images lie before the encoder. For gray images both are the same. */
    public enum ChannelMix {
        /** Each channel by itself: the k red planes become r red planes, and so on. */
        SEPARATE,
        /**
         * As the published program: the images' planes, one after another, are cut into pieces of k planes, which mixes
         * channels of different images. The published CIFAR-10 numbers come from this order.
         */
        PUBLISHED
    }

    /** Losses of a reconstruction (thesis, 7.2.2). */
    public enum Loss {
        /** Squared distance from the deployed model's prediction. */
        MSE_BASE,
        /** Kullback-Leibler divergence from the deployed model's prediction. */
        KL_BASE,
        /** Cross entropy with the true label. */
        XENT_LABEL
    }

    @Override
    public List<String> networks() {
        return List.of(LearnedCode.ENCODER, LearnedCode.DECODER);
    }

    @Override
    public void require(List<Integer> shape) {
        if (shape.size() != 3) {
            throw new IllegalArgumentException(
                    "a learned code encodes images (channels, height, width), got queries of the shape " + shape);
        }
        long inputs = (long) k * shape.get(1) * shape.get(2);
        if (encoder == EncoderKind.MLP && inputs * inputs > MOST_WEIGHTS) {
            throw new IllegalArgumentException("the encoder MLP has a layer of " + inputs + " by " + inputs
                    + " weights for " + k + " images of " + shape.get(1) + " by " + shape.get(2)
                    + ", more than a file of a network can have, " + MOST_WEIGHTS + ": choose the encoder CONV");
        }
    }

    @Override
    public LearnedEncoder encoder(List<Integer> shape, Function<String, Model> networks) {
        return new LearnedEncoder(this, networks.apply(LearnedCode.ENCODER), shape);
    }

    @Override
    public LearnedDecoder decoder(Function<String, Model> networks) {
        return new LearnedDecoder(this, networks.apply(LearnedCode.DECODER));
    }

    void requireMembers(int members) {
        if (members < 1 || members > k) {
            throw new IllegalArgumentException("a coding group has 1 to k = " + k + " queries, got " + members);
        }
    }

    void requireParity(int parity) {
        if (parity < 0 || parity >= r) {
            throw new IllegalArgumentException("a parity query is one of r = " + r + ", from 0 on, got " + parity);
        }
    }

    /** The encoder's network for images of that shape, (channels, height, width). */
    Graph encoderNetwork(List<Integer> shape) {
        require(shape);
        int height = shape.get(1);
        int width = shape.get(2);
        return encoder == EncoderKind.MLP
                ? Networks.mlpEncoder(k, r, height * width)
                : Networks.convEncoder(k, r, height, width);
    }

    /** The decoder's network for predictions of that many values. */
    Graph decoderNetwork(int classes) {
        return Networks.decoderMlp(k, r, classes, decoder);
    }

    /** Planes (rows, k, height, width) as the encoder's network takes them. */
    Tensor asEncoderInput(Tensor planes) {
        return encoder == EncoderKind.MLP ? planes.reshape(planes.size(0), -1) : planes;
    }

    /** Checks the sizes. */
    public CodePlan {
        if (k < 2 || k > 16) {
            throw new IllegalArgumentException("a coding group must have 2 to 16 queries, got k = " + k);
        }
        if (r < 1 || r > k) {
            throw new IllegalArgumentException("a coding group needs 1 to k = " + k + " parity queries, got r = " + r);
        }
        long scenarios = Scenarios.count(k, r);
        if (scenarios > MOST_SCENARIOS) {
            throw new IllegalArgumentException(
                    "a learned code is trained for each set of lost predictions with each set of answers"
                            + " that suffices, at most " + MOST_SCENARIOS + ", k = " + k + " and r = " + r + " have "
                            + scenarios
                            + ": choose fewer queries or parity queries");
        }
    }
}
