/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DatatypeTest {
    private static float read(Datatype type, long bits) {
        ByteBuffer bytes =
                ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(0, bits);
        return type.read(bytes, 1, 1).get(0)[0];
    }

    @Test
    void everyHalfIsWhatItsDefinitionSays() {
        for (int bits = 0; bits <= 0xffff; bits++) {
            int exponent = (bits >> 10) & 0x1f;
            int fraction = bits & 0x3ff;
            double magnitude;
            if (exponent == 0x1f) {
                magnitude = fraction == 0 ? Double.POSITIVE_INFINITY : Double.NaN;
            } else if (exponent == 0) {
                magnitude = Math.scalb((double) fraction, -24);
            } else {
                magnitude = Math.scalb(1 + fraction / 1024.0, exponent - 15);
            }
            float expected = (float) (bits >> 15 == 0 ? magnitude : -magnitude);
            assertThat(Float.floatToIntBits(read(Datatype.FP16, bits)))
                    .as("bits %x", bits)
                    .isEqualTo(Float.floatToIntBits(expected));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "BOOL, 1, 1",
        "UINT8, 255, 255",
        "INT8, 255, -1",
        "UINT16, 65535, 65535",
        "INT16, 32768, -32768",
        "UINT32, 4294967040, 4294967040",
        "INT32, 4294967295, -1",
        "INT64, -9223372036854775808, -9.223372E18",
        "UINT64, -1099511627776, 1.8446743E19",
        "BF16, 16256, 1",
        "FP32, 1078530011, 3.1415927",
        "FP64, 4609434218613702656, 1.5"
    })
    void valuesThatFp32HasAreTaken(Datatype type, long bits, float value) {
        assertThat(read(type, bits)).isEqualTo(value);
    }

    @ParameterizedTest
    @CsvSource({
        "UINT32, 4294967295, 4294967295",
        "INT32, 16777217, 16777217",
        "INT64, 9223372036854775807, 9223372036854775807",
        "UINT64, -1, 18446744073709551615",
        "FP64, 4591870180066957722, 0.1",
        "FP64, 9218868437227405311, 1.7976931348623157E308"
    })
    void othersAreRefused(Datatype type, long bits, String value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read(type, bits))
                .withMessage("the values of an input of the datatype " + type
                        + " must be such that FP32, which models take, has them exactly too, got " + value
                        + ": round them, and send FP32");
    }

    @ParameterizedTest
    @CsvSource({"BOOL, 2", "UINT8, 256", "UINT8, -1", "INT8, 128", "INT8, -129", "INT64, 9223372036854775808"})
    void numbersThatTheTypeDoesNotHaveAreRefused(Datatype type, BigInteger value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> type.of(value))
                .withMessage("the values of an input of the datatype " + type + " must be ones that it has, got "
                        + value + ": send them as a wider datatype, such as FP32");
    }

    @Test
    void wholeNumbersAreEqualWhateverTheirForm() {
        for (Datatype type : Datatype.values()) {
            for (long value = type == Datatype.BOOL || type.name().startsWith("U") ? 0 : -1; value <= 1; value++) {
                assertThat(type.of(value)).isEqualTo(value);
                assertThat(type.of(BigInteger.valueOf(value))).isEqualTo(value);
            }
        }
    }
}
