/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import io.paritas.gpu.nn.ImageWindow;
import io.paritas.inference.graph.Node;
import java.util.List;

/** Windows of convolutions and pools, from ONNX's attributes. */
final class Sliding {
    private Sliding() {}

    /**
     * The window of an operator. The graph's shapes have shown that padding is given in pixels and that all attributes fit.
     *
     * @param kernel height and width
     */
    static ImageWindow window(Node node, List<Integer> input, List<Integer> output, long[] kernel) {
        long[] strides = node.ints("strides", 1, 1);
        long[] before = node.ints("pads", 0, 0, 0, 0);
        long[] dilations = node.ints("dilations", 1, 1);
        ImageWindow.Axis[] axes = new ImageWindow.Axis[2];
        for (int i = 0; i < 2; i++) {
            axes[i] = new ImageWindow.Axis(
                    output.get(i + 1), (int) kernel[i], (int) strides[i], (int) before[i], (int) dilations[i]);
        }
        return new ImageWindow(input.get(1), input.get(2), input.get(0), axes[0], axes[1]);
    }

    /** The window that sees an image at once, whatever attributes its operator has. */
    static ImageWindow whole(List<Integer> input) {
        int height = input.get(1);
        int width = input.get(2);
        ImageWindow.Axis down = new ImageWindow.Axis(1, height, 1, 0, 1);
        return new ImageWindow(height, width, input.get(0), down, new ImageWindow.Axis(1, width, 1, 0, 1));
    }

    /** Whether every value of the output is made of the one at the same place. */
    static boolean isPointwise(ImageWindow window) {
        return window.taps() == 1
                && isPlain(window.down(), window.height())
                && isPlain(window.across(), window.width());
    }

    private static boolean isPlain(ImageWindow.Axis axis, int size) {
        return axis.stride() == 1 && axis.before() == 0 && axis.outputs() == size;
    }
}
