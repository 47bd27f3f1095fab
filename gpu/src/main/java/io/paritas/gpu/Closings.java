/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * What an object has taken of the GPU and of page-locked memory, to be given back in one call: by its {@code close}, or by its
 * constructor when there is no memory for the rest. One thread may use it.
 */
public final class Closings implements AutoCloseable {
    private final Deque<Runnable> closings = new ArrayDeque<>();

    /** Adds something, and returns it. */
    public <T> T add(T resource, Consumer<? super T> close) {
        closings.push(() -> close.accept(resource));
        return resource;
    }

    /** Adds memory of the GPU, and returns it. */
    public DeviceMemory add(DeviceMemory memory) {
        return add(memory, DeviceMemory::close);
    }

    /** Closes everything, the last one first. A second call does nothing. */
    @Override
    public void close() {
        while (!closings.isEmpty()) {
            closings.pop().run();
        }
    }
}
