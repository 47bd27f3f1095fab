/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import java.util.List;

/**
 * A launch of a kernel with all of its arguments, to be enqueued any number of times.
 *
 * @param arguments as {@link CudaFunction#launch} takes them; arrays must not change
 */
public record Launch(CudaFunction function, LaunchShape shape, List<Object> arguments) {
    /** Copies the list. */
    public Launch {
        arguments = List.copyOf(arguments);
    }

    /** Enqueues the launch on a stream, and returns at once. */
    public void enqueue(CudaStream stream) {
        function.launch(shape, stream, arguments.toArray());
    }

    @Override
    public String toString() {
        return function + " " + shape;
    }
}
