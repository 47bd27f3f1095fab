/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import java.util.ArrayList;
import java.util.List;

/** Names of the layers in which the calling thread's predictions had wrong values, also those that were put right. */
public final class WrongLayers {
    /** Names that are kept until somebody asks. */
    private static final int MOST = 16;

    private static final ThreadLocal<List<String>> OF_THREAD = new ThreadLocal<>();

    private WrongLayers() {}

    /** Returns the names since this was asked last, and forgets them. */
    public static List<String> drain() {
        List<String> names = OF_THREAD.get();
        OF_THREAD.remove();
        return names == null ? List.of() : List.copyOf(names);
    }

    static void add(String name) {
        List<String> names = OF_THREAD.get();
        if (names == null) {
            names = new ArrayList<>();
            OF_THREAD.set(names);
        }
        if (names.size() < MOST) {
            names.add(name);
        }
    }
}
