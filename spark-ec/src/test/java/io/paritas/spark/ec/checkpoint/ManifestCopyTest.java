/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paritas.erasure.CodeName;
import io.paritas.erasure.file.ChunkSize;
import io.paritas.erasure.file.UnitsException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ManifestCopyTest {
    private static final ManifestCopy COPY = copy(new Content.Rows(
            "unsafe-row-spark-4-little-endian", StructType.fromDDL("`größe` INT, x ARRAY<STRUCT<y: STRING>>")));

    private static ManifestCopy copy(Content content) {
        return new ManifestCopy(
                new Manifest(
                        "b7",
                        List.of("a1", "a2"),
                        CodeName.parse("rs-3-2"),
                        new ChunkSize(4096),
                        5,
                        new Compression("lz4"),
                        "4.2.0",
                        content,
                        List.of(
                                new Part(0, UUID.fromString("00112233-4455-6677-8899-aabbccddeeff"), 1L << 40, 7),
                                new Part(1, UUID.fromString("ffeeddcc-bbaa-9988-7766-554433221100"), 0, 0))),
                3);
    }

    @Test
    void isReadAsItWasWritten() throws Exception {
        assertThat(ManifestCopy.decode(COPY.encoded())).isEqualTo(COPY);
    }

    @Test
    void elementsHaveNoSchema() throws Exception {
        ManifestCopy elements = copy(new Content.Elements("org.example.Serializer of Spark 4.2"));
        assertThat(new String(elements.encoded(), StandardCharsets.UTF_8))
                .contains("\"layout\":\"org.example.Serializer of Spark 4.2\",\"parts\":[");
        assertThat(ManifestCopy.decode(elements.encoded())).isEqualTo(elements);
    }

    @Test
    void isJson() {
        assertThat(new String(COPY.encoded(), StandardCharsets.UTF_8))
                .startsWith(
                        "{\"format\":1,\"id\":\"b7\",\"directory\":3,\"directories\":5,\"code\":\"rs-3-2\",\"chunk\":4096,"
                                + "\"compression\":\"lz4\",\"sparkVersion\":\"4.2.0\",\"replaces\":[\"a1\",\"a2\"],"
                                + "\"layout\":\"unsafe-row-spark-4-little-endian\",\"schema\":")
                .containsPattern("\"parts\":\\[\\{\"group\":\"00112233-4455-6677-8899-aabbccddeeff\","
                        + "\"length\":1099511627776,\"count\":7},.*],\"crc32c\":\"[0-9a-f]{8}\"}$");
    }

    @Test
    void noByteMayChange() {
        byte[] bytes = COPY.encoded();
        for (int at = 0; at < bytes.length; at++) {
            byte[] changed = bytes.clone();
            changed[at] ^= 1;
            assertThatExceptionOfType(IOException.class)
                    .as("byte %s", at)
                    .isThrownBy(() -> ManifestCopy.decode(changed))
                    .withMessage("wrong checksum");
        }
    }

    @Test
    void noByteMayBeMissing() {
        byte[] bytes = COPY.encoded();
        for (int length = 0; length < bytes.length; length++) {
            byte[] start = Arrays.copyOf(bytes, length);
            assertThatExceptionOfType(IOException.class)
                    .as("%s bytes", length)
                    .isThrownBy(() -> ManifestCopy.decode(start))
                    .withMessage("wrong checksum");
        }
    }

    @Test
    void aNewerVersionIsRefused() {
        assertThatExceptionOfType(UnitsException.class)
                .isThrownBy(() -> ManifestCopy.decode(sealed("{\"format\":2")))
                .withMessage("the manifest must have version 1, got 2: use a newer Paritas");
    }

    @Test
    void whatIsNoManifestIsDamaged() {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> ManifestCopy.decode(sealed("{\"format\":1")))
                .withMessageStartingWith("not understood: ");
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> ManifestCopy.decode(sealed("]")))
                .withMessageStartingWith("not understood: ");
    }

    /** Spark takes any other name for a class to load. */
    @Test
    void aCompressionIsAName() {
        byte[] changed = sealed(body(COPY).replace("\"lz4\"", "\"org.apache.spark.SparkContext\""));
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> ManifestCopy.decode(changed))
                .withMessageStartingWith("not understood: ")
                .withMessageContaining("org.apache.spark.SparkContext");
    }

    @ParameterizedTest
    @CsvSource({
        "\"directory\":3,   \"directory\":5,           'directory must be 0 to 4, got 5'",
        "\"directory\":3,   \"directory\":-1,          'directory must be 0 to 4, got -1'",
        "\"directories\":5, \"directories\":0,         'directories must be 1 to 65536, got 0'",
        "\"directories\":5, \"directories\":2147483647, 'directories must be 1 to 65536, got 2147483647'"
    })
    void numbersOfDirectoriesAreChecked(String field, String other, String trouble) {
        byte[] changed = sealed(body(COPY).replace(field, other));
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> ManifestCopy.decode(changed))
                .withMessage("not understood: " + trouble);
    }

    /** The text of a copy before its checksum. */
    static String body(ManifestCopy copy) {
        return new String(copy.encoded(), StandardCharsets.UTF_8).replaceFirst(",\"crc32c.*", "");
    }

    /** The bytes of a copy with a checksum that fits. */
    static byte[] sealed(String body) {
        CRC32C crc = new CRC32C();
        crc.update(body.getBytes(StandardCharsets.UTF_8));
        return String.format(Locale.ROOT, "%s,\"crc32c\":\"%08x\"}", body, crc.getValue())
                .getBytes(StandardCharsets.UTF_8);
    }
}
