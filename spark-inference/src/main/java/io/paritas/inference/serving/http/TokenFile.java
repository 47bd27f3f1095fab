/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file with the token of a server; a file, because all users of a machine see command lines. */
public final class TokenFile {
    private TokenFile() {}

    /**
     * Returns the token in a file, without the white space around it.
     *
     * @throws IllegalArgumentException if the file has none
     * @throws IOException if the file cannot be read
     */
    public static String read(Path file) throws IOException {
        String token = new String(Files.readAllBytes(file), StandardCharsets.UTF_8).strip();
        if (token.isEmpty() || !isToken(token)) {
            throw new IllegalArgumentException("a token must be one line of ASCII characters without spaces, "
                    + (token.isEmpty() ? "and there is none" : "which it is not") + " in " + file
                    + ": write one into it, as by (umask 077; openssl rand -hex 32 > '" + file + "')");
        }
        return token;
    }

    /** Whether a header of HTTP can have this token. */
    static boolean isToken(String token) {
        return token.chars().allMatch(character -> character > ' ' && character < 0x7f);
    }
}
