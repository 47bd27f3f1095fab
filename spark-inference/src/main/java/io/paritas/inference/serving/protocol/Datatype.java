/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.protocol;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The datatypes in which the input of a model may be given. Models take FP32, so a value of another type is taken if FP32 has it
 * exactly, and refused otherwise: to round is the client's decision.
 */
public enum Datatype {
    /** One byte, 0 or 1. */
    BOOL(Kind.BOOLEAN, Byte.BYTES),
    UINT8(Kind.UNSIGNED, Byte.BYTES),
    UINT16(Kind.UNSIGNED, Short.BYTES),
    UINT32(Kind.UNSIGNED, Integer.BYTES),
    UINT64(Kind.UNSIGNED, Long.BYTES),
    INT8(Kind.SIGNED, Byte.BYTES),
    INT16(Kind.SIGNED, Short.BYTES),
    INT32(Kind.SIGNED, Integer.BYTES),
    INT64(Kind.SIGNED, Long.BYTES),
    /** IEEE 754 binary16. */
    FP16(Kind.REAL, Short.BYTES),
    /** The upper half of an FP32. */
    BF16(Kind.REAL, Short.BYTES),
    FP32(Kind.REAL, Float.BYTES),
    FP64(Kind.REAL, Double.BYTES);

    private enum Kind {
        BOOLEAN,
        UNSIGNED,
        SIGNED,
        REAL
    }

    private static final int FLOAT_DIGITS = 24;

    private final Kind kind;
    private final int bytes;
    /* So far whole numbers have this type, and FP32 has them too. */
    private final long small;

    Datatype(Kind kind, int bytes) {
        this.kind = kind;
        this.bytes = bytes;
        int digits = bytes * Byte.SIZE - (kind == Kind.SIGNED ? 1 : 0);
        this.small = kind == Kind.BOOLEAN ? 1 : (1L << Math.min(digits, FLOAT_DIGITS)) - 1;
    }

    /**
     * The type of an input.
     *
     * @throws IllegalArgumentException if the input cannot have it
     */
    static Datatype of(String input, String name) {
        return Arrays.stream(values())
                .filter(type -> type.name().equals(name))
                .findAny()
                .orElseThrow(() -> new IllegalArgumentException("the input '" + input + "' must have a datatype of "
                        + Arrays.stream(values()).map(Datatype::name).collect(Collectors.joining(", "))
                        + ", whose values become FP32, got '" + name + "'"));
    }

    /** Whether its values are whole numbers. */
    public boolean isWhole() {
        return kind == Kind.UNSIGNED || kind == Kind.SIGNED;
    }

    /** Bytes of a value. */
    public int bytes() {
        return bytes;
    }

    /**
     * A whole number as FP32.
     *
     * @throws IllegalArgumentException if it is not one of this type, or FP32 does not have it
     */
    public float of(BigInteger value) {
        int length = value.bitLength();
        boolean fits =
                switch (kind) {
                    case BOOLEAN -> value.signum() >= 0 && length <= 1;
                    case UNSIGNED -> value.signum() >= 0 && length <= bytes * Byte.SIZE;
                    case SIGNED -> length < bytes * Byte.SIZE;
                    case REAL -> true;
                };
        if (!fits) {
            throw new IllegalArgumentException("the values of an input of the datatype " + this
                    + " must be ones that it has, got " + value + ": send them as a wider datatype, such as FP32");
        }
        if (value.abs().bitLength() - Math.max(0, value.getLowestSetBit()) > FLOAT_DIGITS) {
            throw refused(value);
        }
        return value.floatValue();
    }

    /**
     * A whole number as FP32.
     *
     * @throws IllegalArgumentException if it is not one of this type, or FP32 does not have it
     */
    public float of(long value) {
        if (value <= small && value >= (kind == Kind.SIGNED ? -small : 0)) {
            return value;
        }
        return of(BigInteger.valueOf(value));
    }

    /**
     * A number as FP32.
     *
     * @throws IllegalArgumentException if FP32 does not have it
     */
    public float of(double value) {
        float narrowed = (float) value;
        if (narrowed != value && !Double.isNaN(value)) {
            throw refused(value);
        }
        return narrowed;
    }

    private IllegalArgumentException refused(Number value) {
        return new IllegalArgumentException("the values of an input of the datatype " + this
                + " must be such that FP32, which models take, has them exactly too, got " + value
                + ": round them, and send FP32");
    }

    /**
     * Reads rows of values, little-endian and row-major, up to the end of a buffer in that order.
     *
     * @throws IllegalArgumentException if a value is not one that FP32 has
     */
    List<float[]> read(ByteBuffer buffer, int rows, int size) {
        List<float[]> all = new ArrayList<>(rows);
        for (int row = 0; row < rows; row++) {
            float[] one = new float[size];
            if (this == FP32) {
                buffer.asFloatBuffer().get(one);
                buffer.position(buffer.position() + size * bytes);
            } else {
                for (int i = 0; i < size; i++) {
                    one[i] = read(buffer);
                }
            }
            all.add(one);
        }
        return all;
    }

    private float read(ByteBuffer buffer) {
        long bits =
                switch (bytes) {
                    case Byte.BYTES -> buffer.get();
                    case Short.BYTES -> buffer.getShort();
                    case Integer.BYTES -> buffer.getInt();
                    default -> buffer.getLong();
                };
        return switch (this) {
            case FP16 -> half((int) bits);
            case BF16 -> Float.intBitsToFloat((int) bits << Short.SIZE);
            case FP32 -> Float.intBitsToFloat((int) bits);
            case FP64 -> of(Double.longBitsToDouble(bits));
            case UINT64 -> unsigned(bits);
            case BOOL, UINT8, UINT16, UINT32 -> of(bits & (-1L >>> (Long.SIZE - bytes * Byte.SIZE)));
            default -> of(bits);
        };
    }

    /**
     * An UINT64 as FP32.
     *
     * @param bits all 64 of it
     * @throws IllegalArgumentException if FP32 does not have it
     */
    public static float unsigned(long bits) {
        return UINT64.of(new BigInteger(Long.toUnsignedString(bits)));
    }

    private static float half(int bits) {
        int sign = (bits & 0x8000) << Short.SIZE;
        int exponent = (bits >> 10) & 0x1f;
        int fraction = bits & 0x3ff;
        if (exponent == 0) {
            return Float.intBitsToFloat(sign | Float.floatToRawIntBits(fraction * 0x1p-24f));
        }
        int biased = exponent == 0x1f ? 0xff : exponent + 127 - 15;
        return Float.intBitsToFloat(sign | (biased << 23) | (fraction << 13));
    }
}
