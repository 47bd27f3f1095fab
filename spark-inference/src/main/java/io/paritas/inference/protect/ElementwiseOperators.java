/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

/** Operators on single values or single rows. */
final class ElementwiseOperators {
    private ElementwiseOperators() {}

    /** A function of one value. */
    @FunctionalInterface
    private interface Function {
        float of(float x);
    }

    static Operator relu(int size) {
        return (rows, in, out) -> {
            float[] x = in[0];
            for (int i = 0; i < rows * size; i++) {
                out[i] = Math.max(x[i], 0);
            }
        };
    }

    static Operator clip(int size, float least, float most) {
        return each(size, x -> Math.min(Math.max(x, least), most));
    }

    static Operator leakyRelu(int size, float slope) {
        return each(size, x -> x < 0 ? slope * x : x);
    }

    static Operator sigmoid(int size) {
        return each(size, x -> (float) (1 / (1 + Math.exp(-x))));
    }

    static Operator tanh(int size) {
        return each(size, x -> (float) Math.tanh(x));
    }

    private static Operator each(int size, Function function) {
        return (rows, in, out) -> {
            for (int i = 0; i < rows * size; i++) {
                out[i] = function.of(in[0][i]);
            }
        };
    }

    static Operator add(int size) {
        return (rows, in, out) -> {
            float[] x = in[0];
            float[] y = in[1];
            for (int i = 0; i < rows * size; i++) {
                out[i] = x[i] + y[i];
            }
        };
    }

    /** Scales and shifts every channel. */
    static Operator affine(ImageShape image, float[] scale, float[] shift) {
        return (rows, in, out) -> {
            float[] x = in[0];
            int channels = image.channels();
            for (int at = 0; at < rows * image.size(); at += channels) {
                for (int c = 0; c < channels; c++) {
                    out[at + c] = x[at + c] * scale[c] + shift[c];
                }
            }
        };
    }

    /** Softmax of each row, a vector. */
    static Operator softmax(int size) {
        return (rows, in, out) -> {
            float[] x = in[0];
            for (int from = 0; from < rows * size; from += size) {
                float most = x[from];
                for (int i = from; i < from + size; i++) {
                    most = Math.max(most, x[i]);
                }
                double sum = 0;
                for (int i = from; i < from + size; i++) {
                    sum += Math.exp(x[i] - (double) most);
                }
                for (int i = from; i < from + size; i++) {
                    out[i] = (float) (Math.exp(x[i] - (double) most) / sum);
                }
            }
        };
    }

    /** Concatenates channels. */
    static Operator concat(ImageShape[] parts) {
        int pixels = parts[0].pixels();
        return (rows, in, out) -> {
            int at = 0;
            for (int i = 0; i < rows * pixels; i++) {
                for (int part = 0; part < parts.length; part++) {
                    int channels = parts[part].channels();
                    System.arraycopy(in[part], i * channels, out, at, channels);
                    at += channels;
                }
            }
        };
    }
}
