/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.CudaStream;
import java.util.Locale;

/** Converts values on the GPU. Methods enqueue work on a stream, and return at once; the thread is bound. */
public final class ValueFormats {
    private ValueFormats() {}

    /** A type of values that can be scaled. */
    public enum Element {
        /** Unsigned 8-bit numbers. */
        BYTES,
        /** Unsigned 16-bit numbers: sums of bytes. */
        SHORTS,
        /** float32. */
        FLOATS
    }

    /**
     * Scales the values of each channel: factor · value + offset, both operations rounded, as on the CPU.
     *
     * @param factors address of each channel's factor, in float32
     * @param offsets address of each channel's offset; for a weighted sum, times the sum of the weights
     * @param channels number of channels
     * @param run consecutive values of a channel: the pixels of an image, if the channels are outermost; 1 if innermost
     */
    public record Scaling(long factors, long offsets, int channels, int run) {
        /**
         * @throws IllegalArgumentException if there is no channel or no run
         */
        public Scaling {
            if (channels < 1 || run < 1) {
                throw new IllegalArgumentException(
                        "channels and values in a row must be at least 1, got " + channels + " and " + run);
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

    /** Rounds float32 to the nearest float16. */
    public static void toHalves(long floats, long halves, long count, CudaStream stream) {
        CodingKernels.checkCount(count);
        CodingKernels.launch("floats_to_halves", count, stream, floats, halves, count);
    }

    /** Widens float16 to float32. */
    public static void toFloats(long halves, long floats, long count, CudaStream stream) {
        CodingKernels.checkCount(count);
        CodingKernels.launch("halves_to_floats", count, stream, halves, floats, count);
    }
}
