/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import io.paritas.inference.ModelException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Output sizes of convolutions and pools, from ONNX's attributes. */
final class Windows {

    private Windows() {}

    /** The output shape: channels, then a size for each axis of the window. */
    static List<Integer> slide(Node node, List<Integer> in, int channels, int[] window) {
        int axes = window.length;
        long[] ones = new long[axes];
        Arrays.fill(ones, 1);
        long[] pads = pads(node, in, window);
        long[] strides = node.ints("strides", ones);
        long[] dilations = node.ints("dilations", ones);
        if (Arrays.stream(window).anyMatch(size -> size < 1)) {
            throw new ModelException(
                    node + " needs a window of at least 1, got " + Arrays.toString(window) + ": the model is damaged");
        }
        if (!are(axes, strides, 1) || !are(axes, dilations, 1) || !are(2 * axes, pads, 0)) {
            throw new ModelException(
                    node + " needs a stride and a dilation for each of " + axes + " axes and padding on both"
                            + " sides, got " + Arrays.toString(strides) + ", " + Arrays.toString(dilations) + " and "
                            + Arrays.toString(pads) + ": the model is damaged");
        }
        boolean up = node.flag("ceil_mode");
        List<Integer> out = new ArrayList<>(List.of(channels));
        for (int i = 0; i < axes; i++) {
            long size = in.get(i + 1) + pads[i];
            long room = size + pads[i + axes] - dilations[i] * (window[i] - 1) - 1;
            if (!up && !node.op().equals("Conv") && room < 0 && room > -strides[i]) {
                throw new ModelException("a pool's window must fit into its padded image, " + node + " has a window of "
                        + Arrays.toString(window) + " for " + in
                        + ": use larger images, or only run it, with onnxruntime");
            }
            long steps = Math.floorDiv(room, strides[i]);
            /* Rounding up gives one more window, unless it would begin after the image. */
            boolean more = up && room % strides[i] != 0 && (steps + 1) * strides[i] < size;
            out.add(Dimensions.size(node, steps + (more ? 2 : 1)));
        }
        return out;
    }

    /** Whether there are so many numbers, all ints from the least on. */
    private static boolean are(int count, long[] values, long least) {
        return values.length == count
                && Arrays.stream(values).allMatch(value -> value >= least && value <= Integer.MAX_VALUE);
    }

    /** Padding in pixels before all axes, then after all axes. */
    static long[] pads(Node node, List<Integer> in, int[] window) {
        int axes = window.length;
        String automatic = node.text("auto_pad", "NOTSET");
        return switch (automatic) {
            case "NOTSET" -> node.ints("pads", new long[2 * axes]);
            case "VALID" -> new long[2 * axes];
            case "SAME_UPPER", "SAME_LOWER" -> same(node, in, window, automatic.equals("SAME_UPPER"));
            default ->
                throw new ModelException("auto_pad must be NOTSET, VALID, SAME_UPPER or SAME_LOWER, " + node + " has "
                        + automatic + ": the model is damaged");
        };
    }

    /** So many pixels that a window begins at each of every stride's pixels; the odd one is after the image, or before it. */
    private static long[] same(Node node, List<Integer> in, int[] window, boolean after) {
        int axes = window.length;
        long[] ones = new long[axes];
        Arrays.fill(ones, 1);
        long[] strides = node.ints("strides", ones);
        long[] dilations = node.ints("dilations", ones);
        long[] pads = new long[2 * axes];
        if (!are(axes, strides, 1) || !are(axes, dilations, 1)) {
            return pads; // they are refused by whoever slides the window
        }
        for (int i = 0; i < axes; i++) {
            int size = in.get(i + 1);
            long last = (size - 1) / strides[i] * strides[i];
            long total = last + dilations[i] * (window[i] - 1) + 1 - size;
            if (total < 0) {
                if (!node.op().equals("Conv")) { // ONNX Runtime begins such pools inside of the image
                    throw new ModelException("a pool's window must not be smaller than its stride where its padding is"
                            + " automatic, " + node + " has " + window[i] + " and " + strides[i]
                            + ": export with padding in pixels");
                }
                total = 0;
            }
            pads[i] = after ? total / 2 : total - total / 2;
            pads[i + axes] = total - pads[i];
        }
        return pads;
    }
}
