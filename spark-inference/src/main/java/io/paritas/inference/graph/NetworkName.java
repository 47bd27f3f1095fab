/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The networks with names for the command line, each with its published shape and number of classes. */
public enum NetworkName {
    MLP("rows of any shape: 200 and 100 hidden units (thesis, chapter 7)", List.of(1, 28, 28), 10, Networks::mlp),
    LENET("images of 28×28 or 32×32: LeNet-5", List.of(1, 28, 28), 10, Networks::lenet5),
    LENET_SPEECH("spectrograms: LeNet (thesis, chapter 8)", List.of(1, 161, 101), 30, Networks::lenetSpeech),
    VGG11_SPEECH("spectrograms: VGG-11 (thesis, chapter 8)", List.of(1, 161, 101), 30, Networks::vgg11),
    RESNET18(
            "images of any size, three stages for 28×28, else four: ResNet-18 without a pool in its stem (thesis, 7)",
            List.of(3, 32, 32),
            10,
            Networks::resNet18),
    RESNET18_NARROW(
            "as resnet18, with a quarter of its channels: trains in minutes on a CPU",
            List.of(3, 32, 32),
            10,
            (shape, classes) -> Networks.resNet18(shape, classes, 16)),
    RESNET152_BASIC(
            "images of any size: ResNet-152 with basic blocks (thesis, chapter 8)",
            List.of(3, 32, 32),
            100,
            (shape, classes) -> Networks.resNet152(shape, classes, 64)),
    NOSCOPE_N1("video frames: coral (thesis, chapter 9)", List.of(3, 50, 50), 2, noScope(16, 1, 128)),
    NOSCOPE_N2("video frames: night", List.of(3, 50, 50), 2, noScope(16, 1, 128)),
    NOSCOPE_N3("video frames: roundabout", List.of(3, 50, 50), 2, noScope(32, 2, 32)),
    NOSCOPE_N4("video frames: taipei", List.of(3, 50, 50), 2, noScope(64, 1, 32)),
    GAME_V1("text on a screen: lol-gold1 (thesis, chapter 9)", List.of(3, 22, 52), 11, game(1)),
    GAME_V2("text on a screen: apex-count", List.of(3, 19, 25), 22, game(1)),
    GAME_V3("text on a screen: sot-coin", List.of(3, 17, 40), 15, game(1)),
    GAME_V4("text on a screen, two units: sot-time", List.of(3, 22, 30), 27, game(2)),
    GAME_V5("text on a screen: lol-gold, many classes", List.of(3, 22, 52), 111, game(1)),
    GAME_V6("text on a screen: lol-time, many classes", List.of(3, 15, 35), 62, game(1)),
    GAME_SCALED_DOWN(
            "as game-v1, scaled down as EfficientNet says; for images that are 1/1.15 as high and wide already",
            List.of(3, 19, 45),
            11,
            (shape, classes) -> Networks.smallerGame(shape, classes, 1));

    private final String description;
    private final List<Integer> shape;
    private final int classes;
    private final Builder builder;

    private interface Builder {
        Graph build(List<Integer> shape, int classes);
    }

    /** Of a network that was published with dropout. */
    private interface DropoutBuilder extends Builder {
        Graph build(List<Integer> shape, int classes, float dropout);
    }

    NetworkName(String description, List<Integer> shape, int classes, Builder builder) {
        this.description = description;
        this.shape = shape;
        this.classes = classes;
        this.builder = builder;
    }

    /**
     * The network of that name, in any case.
     *
     * @throws IllegalArgumentException if there is none; the message lists the names
     */
    public static NetworkName named(String name) {
        for (NetworkName network : values()) {
            if (network.toString().equals(name.toLowerCase(Locale.ROOT))) {
                return network;
            }
        }
        throw new IllegalArgumentException("no network is named '" + name + "'; there are "
                + Arrays.stream(values()).map(NetworkName::toString).collect(Collectors.joining(", ")));
    }

    /** Input, architecture and publication, for a list of networks. */
    public String description() {
        return description;
    }

    /** The published shape of a row; most networks take others too. */
    public List<Integer> shape() {
        return shape;
    }

    /** The published number of classes. */
    public int classes() {
        return classes;
    }

    /** Whether it was published with dropout. */
    public boolean hasDropout() {
        return builder instanceof DropoutBuilder;
    }

    /** The network as published. */
    public Graph build() {
        return build(shape, classes);
    }

    /**
     * The network for other rows and classes.
     *
     * @param rows shape of a row: (channels, height, width) for all but {@link #MLP}, which takes any
     * @param outputs number of classes
     * @throws IllegalArgumentException if the network does not take rows of that shape
     */
    public Graph build(List<Integer> rows, int outputs) {
        if (rows.isEmpty() || rows.stream().anyMatch(size -> size < 1) || outputs < 1) {
            throw new IllegalArgumentException(
                    this + " takes rows of at least 1 value and returns at least 1 class, got" + " rows of the shape "
                            + rows + " and " + outputs + " classes");
        }
        return builder.build(rows, outputs);
    }

    /**
     * The network with dropout, which the thesis describes for NoScope's (with 0.25) and its program never enabled.
     *
     * @param dropout probability of a value to be dropped in training, above 0 and below 1
     * @throws IllegalArgumentException if it is out of range, or the network has no published dropout
     */
    public Graph build(List<Integer> rows, int outputs, float dropout) {
        if (!(dropout > 0 && dropout < 1)) {
            throw new IllegalArgumentException("dropout must be above 0 and below 1, got " + dropout);
        }
        build(rows, outputs);
        if (builder instanceof DropoutBuilder dropping) {
            return dropping.build(rows, outputs, dropout);
        }
        throw new IllegalArgumentException(
                "only the noscope networks have a published dropout, got " + this + ": leave it out");
    }

    /** The name, for example {@code resnet18-narrow}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static Builder noScope(int channels, int pairs, int hidden) {
        return new DropoutBuilder() {
            @Override
            public Graph build(List<Integer> shape, int classes) {
                return Networks.noScope(shape, classes, channels, pairs, hidden);
            }

            @Override
            public Graph build(List<Integer> shape, int classes, float dropout) {
                return Networks.noScope(shape, classes, channels, pairs, hidden, dropout);
            }
        };
    }

    private static Builder game(int units) {
        return (shape, classes) -> Networks.game(shape, classes, units);
    }
}
