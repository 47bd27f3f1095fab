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
        long[] pads = pads(node, axes);
        long[] strides = node.ints("strides", ones);
        long[] dilations = node.ints("dilations", ones);
        boolean fits = are(axes, strides, 1) && are(axes, dilations, 1) && are(2 * axes, pads, 0);
        if (!fits || Arrays.stream(window).anyMatch(size -> size < 1)) {
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

    /** Padding before all axes, then after all axes. */
    private static long[] pads(Node node, int axes) {
        String automatic = node.text("auto_pad", "NOTSET");
        return switch (automatic) {
            case "NOTSET" -> node.ints("pads", new long[2 * axes]);
            case "VALID" -> new long[2 * axes];
            default ->
                throw new ModelException("padding must be given in pixels, " + node + " has auto_pad " + automatic
                        + ": export with explicit padding");
        };
    }
}
