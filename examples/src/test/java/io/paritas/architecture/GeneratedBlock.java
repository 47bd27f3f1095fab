/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A part of a page that is made from the code, between {@code <!-- NAME: generated -->} and {@code <!-- end -->}.
 * {@code -Dio.paritas.test.writeDocs=true} writes it.
 */
record GeneratedBlock(Path page, String name) {

    static GeneratedBlock in(Path page, String name) {
        return new GeneratedBlock(page, name);
    }

    void isUpToDate(String content) throws IOException {
        String text = Files.readString(page);
        String begin = "<!-- " + name + ": generated -->\n";
        assertThat(text).contains(begin);
        int from = text.indexOf(begin) + begin.length();
        int to = text.indexOf("<!-- end -->", from);
        if (Boolean.getBoolean("io.paritas.test.writeDocs")) {
            Files.writeString(page, text.substring(0, from) + content + text.substring(to));
        } else {
            assertThat(text.substring(from, to))
                    .as("%s; write it with -Dio.paritas.test.writeDocs=true", page)
                    .isEqualTo(content);
        }
    }
}
