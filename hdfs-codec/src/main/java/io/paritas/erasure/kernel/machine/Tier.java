/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import java.util.stream.Stream;

/** The instruction sets that code is written for, best first. */
enum Tier {
    /** AVX-512 with the Galois Field New Instructions: a product by a constant is one instruction. */
    AVX512_GFNI(Architecture.X86_64, Width.BITS_512, true, "AVX-512 with GFNI"),
    /** AVX2 with those instructions, as in processors for clients. */
    AVX2_GFNI(Architecture.X86_64, Width.BITS_256, true, "AVX2 with GFNI"),
    /** AVX-512 alone: a product is two look-ups of four bits each. */
    AVX512(Architecture.X86_64, Width.BITS_512, false, "AVX-512"),
    /** AVX2 alone, likewise. */
    AVX2(Architecture.X86_64, Width.BITS_256, false, "AVX2"),
    /** AArch64 with the instructions for SHA-3, one of which adds up three values: two look-ups for a product, too. */
    NEON_SHA3(Architecture.AARCH64, Width.BITS_128, false, "AArch64 with SHA3"),
    /** AArch64 alone, likewise. */
    NEON(Architecture.AARCH64, Width.BITS_128, false, "AArch64");

    final Architecture architecture;
    final Width width;
    final boolean hasProducts;
    private final String title;

    Tier(Architecture architecture, Width width, boolean hasProducts, String title) {
        this.architecture = architecture;
        this.width = width;
        this.hasProducts = hasProducts;
        this.title = title;
    }

    Assembler assembler() {
        return architecture.assembler(width);
    }

    /** Vector registers, but the one that is the assembler's on AArch64. */
    int registers() {
        return switch (width) {
            case BITS_128 -> 31;
            case BITS_256 -> 16;
            case BITS_512 -> 32;
        };
    }

    /** The most values that one xor instruction adds up. */
    int xorTerms() {
        return width == Width.BITS_512 || this == NEON_SHA3 ? 3 : 2;
    }

    /** The program in operations that this tier has, in the way that takes the fewest registers. */
    ProductProgram lowered(ProductProgram program) {
        return isLowered(program) ? program : LookUps.lower(program, false);
    }

    /** All ways to write the program in operations that this tier has. */
    Stream<ProductProgram> ways(ProductProgram program) {
        return isLowered(program)
                ? Stream.of(program)
                : Stream.of(true, false).map(splitsSums -> LookUps.lower(program, splitsSums));
    }

    private boolean isLowered(ProductProgram program) {
        return hasProducts || program.products() == 0;
    }

    @Override
    public String toString() {
        return title;
    }
}
