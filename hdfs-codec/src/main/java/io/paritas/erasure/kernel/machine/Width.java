/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

/** The widths of vectors; each has an encoding of its own. */
enum Width {
    /** 16 bytes: NEON of AArch64; registers 0 to 31. */
    BITS_128(16),
    /** 32 bytes: AVX2, encoded with VEX; registers 0 to 15. */
    BITS_256(32),
    /** 64 bytes: AVX-512, encoded with EVEX; registers 0 to 31. */
    BITS_512(64);

    /** Bytes of a vector. */
    final int bytes;

    Width(int bytes) {
        this.bytes = bytes;
    }
}
