/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

import io.paritas.erasure.kernel.CodingFaultException;
import io.paritas.spark.ec.audit.CodedSlice;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Slices of coded stripes as samples: the units that were read are the inputs, those that were made are the outputs. The model is
 * {@code code:NAME SOURCES MADE}. A byte is in the last bits of a float between 2²³ and 2²⁴, so that bits of a difference are bits of it.
 */
public final class CodedUnits {
    private static final Logger LOG = LoggerFactory.getLogger(CodedUnits.class);

    private static final String PREFIX = "code:";
    private static final int EXPONENT = 0x4B000000;

    private CodedUnits() {}

    /** A slice as a sample. */
    public static Sample sample(CodedSlice slice) {
        String model = PREFIX + slice.code() + " " + words(slice.sources()) + " " + words(slice.made());
        return new Sample(model, 1, true, 1, floats(slice.read()), floats(slice.result()), Reason.CHANCE);
    }

    static boolean isOf(String model) {
        return model.startsWith(PREFIX);
    }

    /** Makes the units of a sample again; empty if this version does not know the code. */
    static Optional<float[]> make(String model, float[] inputs) {
        String[] parts = model.substring(PREFIX.length()).split(" ", -1);
        List<Integer> sources = numbers(parts[1]);
        return made(() -> CodedSlice.make(parts[0], sources, numbers(parts[2]), bytes(inputs, sources.size())));
    }

    /** Empty, too, if this processor makes a mistake and notices it. */
    static Optional<float[]> made(Supplier<byte[][]> units) {
        try {
            return Optional.of(floats(units.get()));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        } catch (CodingFaultException e) {
            LOG.error("Paritas: units of another executor cannot be made again here", e);
            return Optional.empty();
        }
    }

    private static String words(List<Integer> numbers) {
        return numbers.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    private static List<Integer> numbers(String words) {
        return Arrays.stream(words.split(",", -1)).map(Integer::valueOf).toList();
    }

    private static float[] floats(byte[][] units) {
        int size = units[0].length;
        float[] values = new float[units.length * size];
        for (int i = 0; i < values.length; i++) {
            values[i] = Float.intBitsToFloat(EXPONENT | (units[i / size][i % size] & 0xFF));
        }
        return values;
    }

    private static byte[][] bytes(float[] values, int units) {
        int size = values.length / units;
        byte[][] bytes = new byte[units][size];
        for (int i = 0; i < values.length; i++) {
            bytes[i / size][i % size] = (byte) Float.floatToRawIntBits(values[i]);
        }
        return bytes;
    }
}
