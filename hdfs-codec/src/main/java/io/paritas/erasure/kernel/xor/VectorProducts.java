/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The generated {@link MaskProduct}s of this JVM: one class for each shape, whatever the matrix. */
final class VectorProducts {
    private record Shape(int rows, int vectors) {}

    private static final Map<Shape, MaskProduct> PRODUCTS = new ConcurrentHashMap<>();

    private VectorProducts() {}

    /** For so many rows: first so many vectors at a time, then one, then bytes. */
    static List<MaskProduct> of(int rows, int vectors) {
        List<MaskProduct> products = new ArrayList<>();
        products.add(of(new Shape(rows, vectors)));
        if (vectors > 1) {
            products.add(of(new Shape(rows, 1)));
        }
        products.add(new PlainProduct(rows));
        return List.copyOf(products);
    }

    private static MaskProduct of(Shape shape) {
        return PRODUCTS.computeIfAbsent(
                shape,
                missing -> MaskProductGenerator.generate(
                        VectorBlocks.lookup(), missing.rows, missing.vectors, VectorBlocks.lanes()));
    }
}
