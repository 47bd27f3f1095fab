/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code bin/paritas} in a distribution without jars, whose Java says what it was given. */
class ScriptTest {
    @TempDir
    private Path home;

    private String localeOfJava(Map<String, String> locale) throws Exception {
        Path script = Files.createDirectories(home.resolve("bin")).resolve("paritas");
        if (Files.notExists(script)) {
            Files.copy(Path.of("../bin/paritas"), script);
            Path java = Files.writeString(home.resolve("bin/java"), "#!/bin/sh\necho \"$LC_ALL\"\n");
            Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        ProcessBuilder builder =
                new ProcessBuilder("bash", script.toString(), "verify").redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().keySet().removeAll(Set.of("LC_ALL", "LC_CTYPE", "LANG"));
        builder.environment().put("JAVA_HOME", home.toString());
        builder.environment().putAll(locale);
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }

    /** Java opens no file named Müller without. */
    @Test
    void withoutALocaleNamesAreUtf8() throws Exception {
        assertThat(localeOfJava(Map.of())).isEqualTo("C.UTF-8");
        assertThat(localeOfJava(Map.of("LANG", "C"))).isEqualTo("C.UTF-8");
        assertThat(localeOfJava(Map.of("LANG", "de_DE.UTF-8", "LC_ALL", "POSIX")))
                .isEqualTo("C.UTF-8");
    }

    @Test
    void theLocaleOfTheUserStays() throws Exception {
        assertThat(localeOfJava(Map.of("LANG", "de_DE.UTF-8"))).isEmpty();
        assertThat(localeOfJava(Map.of("LC_CTYPE", "de_DE.ISO-8859-1"))).isEmpty();
        assertThat(localeOfJava(Map.of("LC_ALL", "fr_FR.UTF-8"))).isEqualTo("fr_FR.UTF-8");
    }
}
