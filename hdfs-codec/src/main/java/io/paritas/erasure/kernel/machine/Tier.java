/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

/** The instruction sets that code is written for, best first. */
enum Tier {
    /** AVX-512 with the Galois Field New Instructions: a product by a constant is one instruction. */
    AVX512_GFNI(Width.BITS_512, true, "AVX-512 with GFNI"),
    /** AVX2 with those instructions, as in processors for clients. */
    AVX2_GFNI(Width.BITS_256, true, "AVX2 with GFNI"),
    /** AVX-512 alone: a product is two look-ups of four bits each. */
    AVX512(Width.BITS_512, false, "AVX-512"),
    /** AVX2 alone, likewise. */
    AVX2(Width.BITS_256, false, "AVX2");

    final Width width;
    final boolean hasProducts;
    private final String title;

    Tier(Width width, boolean hasProducts, String title) {
        this.width = width;
        this.hasProducts = hasProducts;
        this.title = title;
    }

    /** Vector registers. */
    int registers() {
        return width == Width.BITS_512 ? 32 : 16;
    }

    /** The most values that one xor instruction adds up. */
    int xorTerms() {
        return width == Width.BITS_512 ? 3 : 2;
    }

    /** The program in operations that this tier has. */
    ProductProgram lowered(ProductProgram program) {
        return hasProducts ? program : program.withLookUps();
    }

    @Override
    public String toString() {
        return title;
    }
}
