/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The generated {@link MaskProduct}s of this JVM: one class for each shape. */
final class VectorMaskProducts {
    private record Shape(int rows, int vectors) {}

    private static final Map<Shape, MaskProduct> PRODUCTS = new ConcurrentHashMap<>();

    private VectorMaskProducts() {}

    /** Returns the products for a number of rows: this many vectors at a time, then one, then bytes. */
    static List<MaskProduct> of(int rows, int vectors) {
        List<MaskProduct> products = new ArrayList<>();
        products.add(of(new Shape(rows, vectors)));
        if (vectors > 1) {
            products.add(of(new Shape(rows, 1)));
        }
        products.add(new PlainMaskProduct(rows));
        return List.copyOf(products);
    }

    private static MaskProduct of(Shape shape) {
        return PRODUCTS.computeIfAbsent(
                shape,
                missing -> MaskProductGenerator.generate(
                        WidestVector.lookup(), missing.rows, missing.vectors, WidestVector.lanes()));
    }
}
