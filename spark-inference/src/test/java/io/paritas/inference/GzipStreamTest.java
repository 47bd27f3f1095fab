/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipException;
import org.junit.jupiter.api.Test;

class GzipStreamTest {
    /** One that overflowed the stack has 200 KB. */
    private static final int MANY = 100_000;

    /** An archive with a member for each text. */
    private static byte[] members(String... texts) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (String text : texts) {
            try (OutputStream member = new GZIPOutputStream(all)) {
                member.write(text.getBytes(StandardCharsets.US_ASCII));
            }
        }
        return all.toByteArray();
    }

    private static String inflated(byte[] archive) throws IOException {
        try (InputStream in = new GzipStream(new ByteArrayInputStream(archive))) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    @Test
    void membersFollowEachOther() throws IOException {
        assertThat(inflated(members("a", "", "", "bc", ""))).isEqualTo("abc");
    }

    @Test
    void anyNumberOfThemMayBeEmpty() throws IOException {
        String[] texts = new String[MANY];
        Arrays.fill(texts, "");
        texts[MANY - 1] = "end";
        assertThat(inflated(members(texts))).isEqualTo("end");
    }

    @Test
    void isReadByteByByte() throws IOException {
        try (InputStream in = new GzipStream(new ByteArrayInputStream(members("", "a", "")))) {
            assertThat(in.read()).isEqualTo('a');
            assertThat(in.read()).isEqualTo(-1);
            assertThat(in.read()).isEqualTo(-1);
        }
    }

    @Test
    void aWrongChecksumIsFoundInEachMember() throws IOException {
        byte[] first = members("abc", "de");
        first[members("abc").length - 8]++;
        assertThatThrownBy(() -> inflated(first))
                .isInstanceOf(ZipException.class)
                .hasMessage("Corrupt GZIP trailer");
        byte[] second = members("abc", "de");
        second[second.length - 8]++;
        assertThatThrownBy(() -> inflated(second))
                .isInstanceOf(ZipException.class)
                .hasMessage("Corrupt GZIP trailer");
    }
}
