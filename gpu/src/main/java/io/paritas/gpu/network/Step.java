/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import io.paritas.gpu.nn.Activation;
import io.paritas.gpu.nn.ImageWindow;
import io.paritas.gpu.nn.NetworkLaunches.Operation;
import io.paritas.gpu.nn.Weights;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A launch of a network: a product, a window that slides, or something element by element. It reads values and writes one. */
sealed interface Step {
    /** What it reads. */
    List<Value> reads();

    /** What it writes. */
    Value output();

    /** The same without values that are on the GPU by now. */
    default Step withoutConstants() {
        return this;
    }

    /** Whether it is a matrix product or a convolution. */
    default boolean isLayer() {
        return false;
    }

    /** The name of its kind, for tests and messages. */
    default String kind() {
        return getClass().getSimpleName();
    }

    /**
     * A constant matrix and what is added to its products.
     *
     * @param depth K
     * @param columns N
     * @param bias one for each column
     */
    record Matrix(int depth, int columns, Weights.Entries entries, float[] bias) {
        private static final float[] GONE = {};

        Matrix withoutConstants() {
            Weights.Entries none = (k, n) -> {
                throw new IllegalStateException("the entries of the matrix are on the GPU");
            };
            return new Matrix(depth, columns, none, GONE);
        }
    }

    /**
     * What is done to the values of a step before they are stored.
     *
     * @param addend is added first; of the output's shape and order
     */
    record Finish(Optional<Value> addend, Activation activation) {
        static final Finish NONE = new Finish(Optional.empty(), Activation.NONE);
    }

    /**
     * output = activation(input · matrix + bias + addend): a linear layer, or a convolution without groups.
     *
     * @param rows rows of the product for each row of the network
     * @param window what a convolution's filter sees; empty for a linear layer
     */
    record Product(Value input, Value output, int rows, Optional<ImageWindow> window, Matrix matrix, Finish finish)
            implements Step {
        @Override
        public List<Value> reads() {
            return withAddend(input, finish);
        }

        @Override
        public Product withoutConstants() {
            return new Product(input, output, rows, window, matrix.withoutConstants(), finish);
        }

        @Override
        public boolean isLayer() {
            return true;
        }
    }

    /** A convolution in groups of channels; the matrix has a row for each tap and channel of a group. */
    record GroupedConvolution(Value input, Value output, ImageWindow window, int groups, Matrix matrix, Finish finish)
            implements Step {
        @Override
        public List<Value> reads() {
            return withAddend(input, finish);
        }

        @Override
        public GroupedConvolution withoutConstants() {
            return new GroupedConvolution(input, output, window, groups, matrix.withoutConstants(), finish);
        }

        @Override
        public boolean isLayer() {
            return true;
        }
    }

    /** How a pool makes one value of several. */
    enum Pooling {
        MAX,
        /** Zeros around the image count. */
        MEAN_WITH_ZEROS,
        /** Only values of the image count. */
        MEAN
    }

    /** A pool. */
    record Pool(Value input, Value output, Pooling pooling, ImageWindow window, Activation activation) implements Step {
        @Override
        public List<Value> reads() {
            return List.of(input);
        }
    }

    /**
     * Softmax.
     *
     * @param size values of the axis
     * @param inner values after the axis
     */
    record Softmax(Value input, Value output, int size, int inner) implements Step {
        @Override
        public List<Value> reads() {
            return List.of(input);
        }
    }

    /**
     * An operand of {@link Combine}: rows, or constants that are the same for all rows.
     *
     * @param strides between rows, then in each of the output's three dimensions in memory; 0 repeats a value
     */
    record Operand(Optional<Value> value, float[] constants, int[] strides) {
        static final float[] NO_CONSTANTS = {};

        Operand withoutConstants() {
            return new Operand(value, NO_CONSTANTS, strides);
        }
    }

    /**
     * output = activation(left operation right), element by element.
     *
     * @param sizes of the output's three dimensions in memory
     */
    record Combine(Operation operation, Operand left, Operand right, Value output, int[] sizes, Activation activation)
            implements Step {
        @Override
        public List<Value> reads() {
            return Stream.of(left, right).flatMap(each -> each.value().stream()).toList();
        }

        @Override
        public Combine withoutConstants() {
            return new Combine(operation, left.withoutConstants(), right.withoutConstants(), output, sizes, activation);
        }
    }

    /** A copy into the order and the precision of the output. */
    record Arrange(Value input, Value output) implements Step {
        @Override
        public List<Value> reads() {
            return List.of(input);
        }
    }

    /** A copy of images into the order and the precision of the output, which has more channels: those are 0. */
    record Widen(Value input, Value output) implements Step {
        @Override
        public List<Value> reads() {
            return List.of(input);
        }
    }

    /**
     * A part of a concatenation: runs of the input go to places that are further apart.
     *
     * @param run values of the input that stay together
     * @param stride between the runs in the output
     * @param offset of the first run
     */
    record Spread(Value input, Value output, int run, int stride, int offset) implements Step {
        @Override
        public List<Value> reads() {
            return List.of(input);
        }
    }

    private static List<Value> withAddend(Value input, Finish finish) {
        return Stream.concat(Stream.of(input), finish.addend().stream()).toList();
    }
}
