/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The matrix products of the networks that the thesis measures protection with (4.6): squares, DLRM, NoScope's networks, and image
 * networks as torchvision defines them, with convolutions in groups replaced by plain ones.
 */
public final class LayerLists {
    private static final int NOSCOPE_BATCH = 64;

    /**
     * A product C (m × n) = A (m × k) · B (k × n); of a convolution, m counts the places of the output, and k the values under the filter.
     *
     * @param list the list that it belongs to
     */
    public record Layer(String list, int m, int n, int k) {
        /** Multiplications and additions. */
        public double operations() {
            return 2.0 * m * n * k;
        }

        /** Operations for each byte of A, B and C, read or written once. */
        public double intensity(int valueBytes) {
            return operations() / (valueBytes * elements());
        }

        double elements() {
            return (double) m * k + (double) k * n + (double) m * n;
        }
    }

    private LayerLists() {}

    /** The names of all lists. */
    public static List<String> names() {
        return Stream.of(
                        Stream.of("square", "large-square"),
                        IntStream.of(1, 256, 512, 1024, 2048, 4096)
                                .boxed()
                                .flatMap(batch -> Stream.of("dlrm-bottom-" + batch, "dlrm-top-" + batch)),
                        Stream.of("coral", "roundabout", "taipei", "amsterdam").map(name -> "noscope-" + name),
                        Stream.of("224", "hd").flatMap(size -> Stream.of(
                                        "squeezenet",
                                        "shufflenet",
                                        "densenet161",
                                        "resnet50",
                                        "alexnet",
                                        "vgg16",
                                        "wide-resnet50")
                                .map(name -> name + "-" + size)))
                .flatMap(each -> each)
                .toList();
    }

    /**
     * The layers of a list, in the order of the network.
     *
     * @throws IllegalArgumentException if there is no such list
     */
    public static List<Layer> of(String list) {
        int end = list.lastIndexOf('-');
        String name = end < 0 ? list : list.substring(0, end);
        Walk walk = new Walk(list);
        switch (name) {
            case "square" -> IntStream.iterate(32, n -> n <= 2048, n -> 2 * n).forEach(n -> walk.product(n, n, n));
            case "large" -> walk.product(4096, 4096, 4096);
            case "dlrm-bottom" -> dlrm(walk, Integer.parseInt(list.substring(end + 1)), 13, 512, 256, 64);
            case "dlrm-top" -> dlrm(walk, Integer.parseInt(list.substring(end + 1)), 512, 512, 256, 1);
            case "noscope" -> noscope(walk, list);
            case "squeezenet" -> squeezeNet(walk.from(list));
            case "shufflenet" -> shuffleNet(walk.from(list));
            case "densenet161" -> denseNet(walk.from(list));
            case "resnet50" -> resNet(walk.from(list), 1);
            case "wide-resnet50" -> resNet(walk.from(list), 2);
            case "alexnet" -> alexNet(walk.from(list));
            case "vgg16" -> vgg(walk.from(list));
            default -> throw new IllegalArgumentException("lists are " + names() + ", got '" + list + "'");
        }
        return walk.layers;
    }

    private static void dlrm(Walk walk, int batch, int... sizes) {
        for (int i = 1; i < sizes.length; i++) {
            walk.product(batch, sizes[i], sizes[i - 1]);
        }
    }

    private static void noscope(Walk walk, String list) {
        walk.image(50, 50, NOSCOPE_BATCH);
        switch (list) {
            case "noscope-coral" -> walk.same(16).same(16).pool(2, 2, 0).linear(128, 2);
            case "noscope-roundabout" ->
                walk.same(32)
                        .same(32)
                        .pool(2, 2, 0)
                        .same(64)
                        .same(64)
                        .pool(2, 2, 0)
                        .linear(32, 2);
            case "noscope-taipei" -> walk.same(64).same(64).pool(2, 2, 0).linear(32, 2);
            case "noscope-amsterdam" -> walk.same(64).same(64).pool(2, 2, 0).linear(256, 2);
            default -> throw new IllegalArgumentException("lists are " + names() + ", got '" + list + "'");
        }
    }

    private static void alexNet(Walk walk) {
        walk.convolution(64, 11, 4, 2).pool(3, 2, 0).convolution(192, 5, 1, 2).pool(3, 2, 0);
        walk.same(384).same(256).same(256).pooledTo(6).linear(4096, 4096, 1000);
    }

    private static void vgg(Walk walk) {
        int[][] blocks = {{64, 64}, {128, 128}, {256, 256, 256}, {512, 512, 512}, {512, 512, 512}};
        for (int[] block : blocks) {
            for (int outputs : block) {
                walk.same(outputs);
            }
            walk.pool(2, 2, 0);
        }
        walk.pooledTo(7).linear(4096, 4096, 1000);
    }

    private static void squeezeNet(Walk walk) {
        walk.convolution(96, 7, 2, 0).poolUp(3, 2);
        int[][] fires = {{16, 64}, {16, 64}, {32, 128}, {}, {32, 128}, {48, 192}, {48, 192}, {64, 256}, {}, {64, 256}};
        for (int[] fire : fires) {
            if (fire.length == 0) {
                walk.poolUp(3, 2);
            } else {
                walk.pointwise(fire[0])
                        .pointwise(fire[1])
                        .of(fire[0])
                        .same(fire[1])
                        .of(2 * fire[1]);
            }
        }
        walk.pointwise(1000);
    }

    private static void resNet(Walk walk, int width) {
        walk.convolution(64, 7, 2, 3).pool(3, 2, 1);
        int[] blocks = {3, 4, 6, 3};
        for (int stage = 0; stage < blocks.length; stage++) {
            int channels = 64 << stage;
            for (int block = 0; block < blocks[stage]; block++) {
                int before = walk.channels;
                int stride = block == 0 && stage > 0 ? 2 : 1;
                walk.pointwise(channels * width)
                        .convolution(channels * width, 3, stride, 1)
                        .pointwise(4 * channels);
                if (block == 0) {
                    walk.of(before).pointwise(4 * channels); // the shortcut
                }
            }
        }
        walk.pooledTo(1).linear(1000);
    }

    private static void denseNet(Walk walk) {
        walk.convolution(96, 7, 2, 3).pool(3, 2, 1);
        int channels = 96;
        int[] blocks = {6, 12, 36, 24};
        for (int block = 0; block < blocks.length; block++) {
            for (int layer = 0; layer < blocks[block]; layer++) {
                walk.of(channels).pointwise(192).same(48);
                channels += 48;
            }
            walk.of(channels);
            if (block < blocks.length - 1) {
                channels /= 2;
                walk.pointwise(channels).pool(2, 2, 0);
            }
        }
        walk.pooledTo(1).linear(1000);
    }

    private static void shuffleNet(Walk walk) {
        walk.convolution(24, 3, 2, 1).pool(3, 2, 1);
        int[] blocks = {4, 8, 4};
        for (int stage = 0; stage < blocks.length; stage++) {
            int half = 58 << stage;
            for (int block = 0; block < blocks[stage]; block++) {
                if (block == 0) {
                    /* Both branches read all channels, and halve the image. */
                    int channels = walk.channels;
                    int height = walk.height;
                    int width = walk.width;
                    walk.convolution(channels, 3, 2, 1).pointwise(half);
                    walk.height = height;
                    walk.width = width;
                    walk.of(channels).pointwise(half).convolution(half, 3, 2, 1).pointwise(half);
                } else {
                    walk.of(half).pointwise(half).same(half).pointwise(half);
                }
            }
            walk.of(2 * half);
        }
        walk.pointwise(1024).pooledTo(1).linear(1000);
    }

    /** Follows an image through a network, and notes the products. */
    private static final class Walk {
        private final String list;
        private final List<Layer> layers = new ArrayList<>();
        private int images = 1;
        private int height;
        private int width;
        private int channels;

        Walk(String list) {
            this.list = list;
        }

        /** An image of the size that ends the list's name. */
        Walk from(String name) {
            return name.endsWith("-hd") ? image(1080, 1920, 1) : image(224, 224, 1);
        }

        Walk image(int newHeight, int newWidth, int batch) {
            height = newHeight;
            width = newWidth;
            channels = 3;
            images = batch;
            return this;
        }

        Walk product(int m, int n, int k) {
            layers.add(new Layer(list, m, n, k));
            return this;
        }

        Walk convolution(int outputs, int filter, int stride, int padding) {
            height = (height + 2 * padding - filter) / stride + 1;
            width = (width + 2 * padding - filter) / stride + 1;
            product(images * height * width, outputs, channels * filter * filter);
            return of(outputs);
        }

        Walk same(int outputs) {
            return convolution(outputs, 3, 1, 1);
        }

        Walk pointwise(int outputs) {
            return convolution(outputs, 1, 1, 0);
        }

        /** Other channels of the same place. */
        Walk of(int newChannels) {
            channels = newChannels;
            return this;
        }

        Walk pool(int window, int stride, int padding) {
            height = (height + 2 * padding - window) / stride + 1;
            width = (width + 2 * padding - window) / stride + 1;
            return this;
        }

        /** A pool whose last window may reach beyond the image. */
        Walk poolUp(int window, int stride) {
            height = (height - window + stride - 1) / stride + 1;
            width = (width - window + stride - 1) / stride + 1;
            return this;
        }

        Walk pooledTo(int size) {
            height = size;
            width = size;
            return this;
        }

        Walk linear(int... outputs) {
            int inputs = height * width * channels;
            for (int n : outputs) {
                product(images, n, inputs);
                inputs = n;
            }
            return this;
        }
    }
}
