/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

/** float16 on the host: IEEE 754 binary16, as bits in a short. */
final class Halves {
    private static final int INFINITE = 0x7c00;
    private static final int NOT_A_NUMBER = 0x7e00;

    /** Values from here on are rounded to infinity: half a step above the largest, 65504. */
    private static final float TOO_LARGE = 65_520;

    private static final float LEAST_NORMAL = 0x1p-14f;
    private static final float STEPS_BELOW = 0x1p24f;

    private Halves() {}

    /** Returns the nearest float16, ties to even. */
    static short of(float value) {
        int bits = Float.floatToRawIntBits(value);
        int sign = bits >>> 16 & 0x8000;
        float magnitude = Math.abs(value);
        if (Float.isNaN(value)) {
            return (short) (sign | NOT_A_NUMBER);
        }
        if (magnitude >= TOO_LARGE) {
            return (short) (sign | INFINITE);
        }
        if (magnitude < LEAST_NORMAL) {
            return (short) (sign | (int) Math.rint(magnitude * STEPS_BELOW));
        }
        int wide = (bits & 0x7fffffff) - (112 << 23);
        return (short) (sign | (wide + 0xfff + (wide >>> 13 & 1)) >>> 13);
    }

    /** Returns the same value as a float32. */
    static float toFloat(short half) {
        int sign = (half & 0x8000) << 16;
        int exponent = half >> 10 & 31;
        int fraction = half & 0x3ff;
        if (exponent == 31) {
            return Float.intBitsToFloat(sign | 0x7f800000 | fraction << 13);
        }
        if (exponent == 0) {
            return Float.intBitsToFloat(sign | Float.floatToRawIntBits(fraction / STEPS_BELOW));
        }
        return Float.intBitsToFloat(sign | (exponent + 112) << 23 | fraction << 13);
    }
}
