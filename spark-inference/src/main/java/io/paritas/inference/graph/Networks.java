/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import io.paritas.PublicApi;
import io.paritas.inference.graph.GraphBuilder.Convolution;
import io.paritas.inference.graph.GraphBuilder.Value;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * The published networks. Each takes rows of a given shape (images are (channels, height, width)) and returns a raw score for each
 * class, without softmax. Weights are zero until an {@link Initialisation} fills them. A network throws an
 * {@link IllegalArgumentException} for a shape that it does not take, with the shapes that it takes. Thread-safe.
 *
 * <p>Networks on images also have a name: {@link #named}.
 */
@PublicApi
public final class Networks {

    private Networks() {}

    /** The layers of the decoder of a learned code. */
    public enum DecoderLayers {
        /** k·m, k·m, k·m for m classes (thesis, table 7.2). */
        THESIS,
        /** (k + r)·m, k·m, k·m: what the published program trained. */
        PROGRAM
    }

    /**
     * The network of that name.
     *
     * @throws IllegalArgumentException if there is none, or it does not take rows of that shape
     */
    public static Graph named(String name, List<Integer> shape, int classes) {
        return NetworkName.named(name).build(shape, classes);
    }

    /** Base-MLP (thesis, 7.2.1): all values of a row, then 200 and 100 hidden units. 178,110 parameters for 784 values. */
    public static Graph mlp(List<Integer> shape, int classes) {
        GraphBuilder net = new GraphBuilder(shape);
        return net.output(net.linear(net.hidden(net.flatten(net.input()), 200, 100), classes));
    }

    /** LeNet-5 with ReLU and max-pools, for images of 28×28 (padded by 2) or 32×32. 61,706 parameters for 1×28×28. */
    public static Graph lenet5(List<Integer> shape, int classes) {
        require(
                shape.size() == 3
                        && (shape.subList(1, 3).equals(List.of(28, 28))
                                || shape.subList(1, 3).equals(List.of(32, 32))),
                "LeNet-5 takes images of 28×28 or 32×32 pixels",
                shape);
        GraphBuilder net = new GraphBuilder(shape);
        Convolution first = Convolution.same(6, 5).padding((32 - shape.get(1)) / 2);
        Value last = net.maxPool(net.relu(net.convolution(net.input(), first)), 2, 2);
        last = net.maxPool(
                net.relu(net.convolution(last, Convolution.same(16, 5).padding(0))), 2, 2);
        return net.output(net.linear(net.hidden(net.flatten(last), 120, 84), classes));
    }

    /** LeNet for spectrograms (ParM; thesis, 8.2.1). 16,321,570 parameters for 1×161×101 and 30 classes. */
    public static Graph lenetSpeech(List<Integer> shape, int classes) {
        GraphBuilder net = new GraphBuilder(shape);
        Convolution convolution = Convolution.same(20, 5).padding(0);
        Value last = net.relu(net.maxPool(net.convolution(net.input(), convolution), 2, 2));
        last = net.relu(net.maxPool(net.convolution(last, convolution), 2, 2));
        return net.output(net.linear(net.hidden(net.flatten(last), 1000), classes));
    }

    /** VGG-11 for spectrograms (ParM; thesis, 8.2.1). 13,172,894 parameters for 1×161×101 and 30 classes. */
    public static Graph vgg11(List<Integer> shape, int classes) {
        GraphBuilder net = new GraphBuilder(shape);
        Value last = net.input();
        for (int[] stage : new int[][] {{64}, {128}, {256, 256}, {512, 512}, {512, 512}}) {
            for (int channels : stage) {
                last = net.relu(net.batchNorm(net.convolution(last, Convolution.same(channels, 3))));
            }
            last = net.maxPool(last, 2, 2);
        }
        return net.output(net.linear(net.linear(net.flatten(last), 512), classes));
    }

    /** {@link #resNet18(List, int, int)} with the published width of 64. */
    public static Graph resNet18(List<Integer> shape, int classes) {
        return resNet18(shape, classes, 64);
    }

    /**
     * "ResNet-18" without a pool in its stem (thesis, 7.2.1). Images of 28×28 get the published three stages (2,776,522
     * parameters for one channel, 10 classes, width 64), all others four (11,173,962 for 3×32×32).
     *
     * @param width channels of the first stage; each later stage has twice as many
     */
    public static Graph resNet18(List<Integer> shape, int classes, int width) {
        boolean small = shape.size() == 3 && shape.subList(1, 3).equals(List.of(28, 28));
        return resNet(shape, classes, width, Collections.nCopies(small ? 3 : 4, 2));
    }

    /**
     * "ResNet-152" as ParM trained it: basic blocks where the original has bottlenecks. 57,930,148 parameters for 3×32×32,
     * 100 classes and width 64.
     */
    public static Graph resNet152(List<Integer> shape, int classes, int width) {
        return resNet(shape, classes, width, List.of(3, 8, 36, 3));
    }

    private static Graph resNet(List<Integer> shape, int classes, int width, List<Integer> blocks) {
        GraphBuilder net = new GraphBuilder(shape);
        Value last = normalised(net, net.input(), Convolution.same(width, 3));
        last = net.relu(last);
        int channels = width;
        for (int stage = 0; stage < blocks.size(); stage++) {
            for (int block = 0; block < blocks.get(stage); block++) {
                last = basicBlock(net, last, channels, stage > 0 && block == 0 ? 2 : 1);
            }
            channels *= 2;
        }
        return net.output(net.linear(net.flatten(net.globalAveragePool(last)), classes));
    }

    private static Value basicBlock(GraphBuilder net, Value from, int channels, int stride) {
        Value last =
                net.relu(normalised(net, from, Convolution.same(channels, 3).stride(stride)));
        last = normalised(net, last, Convolution.same(channels, 3));
        boolean same = stride == 1 && from.channels() == channels;
        Value shortcut = same
                ? from
                : normalised(net, from, Convolution.same(channels, 1).stride(stride));
        return net.relu(net.sum(last, shortcut));
    }

    private static Value normalised(GraphBuilder net, Value from, Convolution convolution) {
        return net.batchNorm(net.convolution(from, convolution.withoutBias()));
    }

    /**
     * A specialised network of NoScope (thesis, 9.2.1): pairs of convolutions, each pair with a pool, then two linear layers.
     *
     * @param channels channels of the first pair; each later pair has twice as many
     * @param pairs number of pairs
     * @param hidden units of the first linear layer
     */
    public static Graph noScope(List<Integer> shape, int classes, int channels, int pairs, int hidden) {
        return noScope(shape, classes, channels, pairs, hidden, 0);
    }

    /**
     * As above, with dropout after each pool and before the last layer, as the thesis says; its program never enabled it.
     *
     * @param dropout probability of a value to be dropped in training, below 1; 0 for no dropout
     */
    public static Graph noScope(List<Integer> shape, int classes, int channels, int pairs, int hidden, float dropout) {
        GraphBuilder net = new GraphBuilder(shape);
        Value last = net.input();
        for (int pair = 0; pair < pairs; pair++) {
            last = convolutions(net, last, 2, channels << pair);
            last = dropped(net, net.maxPool(last, 2, 2), dropout);
        }
        return net.output(net.linear(dropped(net, net.hidden(net.flatten(last), hidden), dropout), classes));
    }

    private static Value dropped(GraphBuilder net, Value from, float dropout) {
        return dropout == 0 ? from : net.dropout(from, dropout);
    }

    /**
     * A network that reads text off the screen of a game (thesis, 9.2.1): a convolution and a pool, units of three
     * convolutions and a pool, a convolution to 8 channels and a pool, one linear layer.
     *
     * @param units 1 or 2 in the thesis
     */
    public static Graph game(List<Integer> shape, int classes, int units) {
        return game(shape, classes, 32, 8, Collections.nCopies(units, 3));
    }

    /**
     * {@link #game} scaled down as EfficientNet says, with φ = −1 (thesis, 9.5.3; Tan and Le, 2019): the depth is divided
     * by 1.2, the width by 1.1, height and width of the image by 1.15; about half the operations.
     *
     * <p>Every size is rounded to the nearest. EfficientNet rounds channels to multiples of 8, which leaves 32 and 8 unchanged, and
     * depths up, which leaves every unit unchanged. The depth is that of all convolutions together; convolutions are dropped from
     * the units, the last ones first, because the first and the last convolution fit the input and the output. The published
     * program differs: it divides the depth by 1.1, drops the last convolution with its pool, and swaps height and width of the
     * images.
     *
     * @param shape shape of the original images; {@link Graph#input} has that of the smaller images
     */
    public static Graph gameScaledDown(List<Integer> shape, int classes, int units) {
        List<Integer> smaller =
                List.of(shape.get(0), (int) Math.round(shape.get(1) / 1.15), (int) Math.round(shape.get(2) / 1.15));
        return smallerGame(smaller, classes, units);
    }

    /** {@link #gameScaledDown} with the shape of the smaller images. */
    static Graph smallerGame(List<Integer> shape, int classes, int units) {
        int[] depths = new int[units];
        int convolutions = (int) Math.round((3 * units + 2) / 1.2) - 2;
        for (int i = 0; i < convolutions; i++) {
            depths[i / 3]++;
        }
        List<Integer> depth =
                Arrays.stream(depths).filter(count -> count > 0).boxed().toList();
        return game(shape, classes, (int) Math.round(32 / 1.1), (int) Math.round(8 / 1.1), depth);
    }

    private static Graph game(List<Integer> shape, int classes, int channels, int lastChannels, List<Integer> units) {
        GraphBuilder net = new GraphBuilder(shape);
        Value last = net.maxPool(convolutions(net, net.input(), 1, channels), 3, 2);
        for (int count : units) {
            last = net.maxPool(convolutions(net, last, count, channels), 3, 1);
        }
        last = net.maxPool(convolutions(net, last, 1, lastChannels), 3, 2);
        return net.output(net.linear(net.flatten(last), classes));
    }

    private static Value convolutions(GraphBuilder net, Value from, int count, int channels) {
        Value last = from;
        for (int i = 0; i < count; i++) {
            last = net.relu(net.convolution(last, Convolution.same(channels, 3)));
        }
        return last;
    }

    /** Bottom MLP of Facebook's DLRM (thesis, 4): 13 numbers to 64, with ReLU after every layer. */
    public static Graph dlrmBottom() {
        GraphBuilder net = new GraphBuilder(13);
        return net.output(net.hidden(net.input(), 512, 256, 64));
    }

    /** Top MLP of DLRM as the thesis measures it (chapter 4), without its first layer: 512 values to one score. */
    public static Graph dlrmTop() {
        GraphBuilder net = new GraphBuilder(512);
        return net.output(net.linear(net.hidden(net.input(), 512, 256), 1));
    }

    /**
     * Fully connected encoder of a learned code (thesis, table 7.1): from k planes of pixels to r planes. 3,690,288 parameters for
     * k = 2, r = 1 and 784 pixels.
     */
    public static Graph mlpEncoder(int k, int r, int pixels) {
        GraphBuilder net = new GraphBuilder(k * pixels);
        return net.output(net.linear(net.hidden(net.input(), k * pixels), r * pixels));
    }

    /**
     * Convolutional encoder of a learned code (thesis, table 7.1): from k planes (k, height, width) to r planes, by dilated
     * convolutions with 20·k channels. 73,001 parameters for k = 2 and r = 1.
     */
    public static Graph convEncoder(int k, int r, int height, int width) {
        GraphBuilder net = new GraphBuilder(k, height, width);
        Value last = net.input();
        for (int dilation : new int[] {1, 1, 2, 4, 8, 1}) {
            last = net.relu(net.convolution(last, Convolution.same(20 * k, 3).dilation(dilation)));
        }
        return net.output(net.convolution(last, Convolution.same(r, 1)));
    }

    /**
     * Decoder of a learned code: from the (k + r)·classes scores of a group, missing ones as zeros, to k·classes scores. For
     * k = 2, r = 1 and 10 classes, it has 1,460 parameters as in the thesis and 1,970 as in the program.
     */
    public static Graph decoderMlp(int k, int r, int classes, DecoderLayers layers) {
        GraphBuilder net = new GraphBuilder((k + r) * classes);
        int first = layers == DecoderLayers.THESIS ? k * classes : (k + r) * classes;
        return net.output(net.linear(net.hidden(net.input(), first, k * classes), k * classes));
    }

    private static void require(boolean takes, String rule, List<Integer> shape) {
        if (!takes) {
            throw new IllegalArgumentException(rule + ", got rows of the shape " + shape);
        }
    }
}
