/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.CudaStream;
import java.util.Locale;

/** Values on the GPU from one format to another. Methods put work into a stream, and return at once; the thread is bound. */
public final class ValueFormats {
    private ValueFormats() {}

    /** What is scaled. */
    public enum Element {
        /** Unsigned, 8 bits. */
        BYTES,
        /** Unsigned, 16 bits: sums of bytes. */
        SHORTS,
        /** float32. */
        FLOATS
    }

    /**
     * How values of channels are scaled: factor · value + offset, both operations rounded, as on the CPU.
     *
     * @param factors where each channel's factor is, as float32
     * @param offsets where each channel's offset is; for a weighted sum, times the sum of the weights
     * @param channels how many there are
     * @param run values of a channel in a row: the pixels of an image, if the channels are outermost; 1 if innermost
     */
    public record Scaling(long factors, long offsets, int channels, int run) {
        /**
         * @throws IllegalArgumentException if there is no channel or no run
         */
        public Scaling {
            if (channels < 1 || run < 1) {
                throw new IllegalArgumentException(
                        "There is at least 1 channel, and 1 value in a row; got " + channels + " and " + run);
            }
        }
    }

    /** Scales values to float32. */
    public static void scale(
            Element element, long values, long scaled, Scaling scaling, long count, CudaStream stream) {
        CodingKernels.checkCount(count);
        CodingKernels.launch(
                "scale_" + element.name().toLowerCase(Locale.ROOT),
                count,
                stream,
                values,
                scaled,
                scaling.factors(),
                scaling.offsets(),
                scaling.channels(),
                scaling.run(),
                count);
    }

    /** float32 to the nearest float16. */
    public static void toHalves(long floats, long halves, long count, CudaStream stream) {
        CodingKernels.checkCount(count);
        CodingKernels.launch("floats_to_halves", count, stream, floats, halves, count);
    }

    /** float16 to float32. */
    public static void toFloats(long halves, long floats, long count, CudaStream stream) {
        CodingKernels.checkCount(count);
        CodingKernels.launch("halves_to_floats", count, stream, halves, floats, count);
    }
}
