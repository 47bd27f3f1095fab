/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.io.IOException;
import java.net.Socket;

/** What a test reads from a socket as text, a character for each byte. */
public final class SocketText {
    private SocketText() {}

    /** The next bytes up to a text, with it. */
    public static String until(Socket socket, String text) throws IOException {
        StringBuilder read = new StringBuilder();
        while (read.indexOf(text) < 0) {
            int next = socket.getInputStream().read();
            if (next < 0) {
                throw new IOException("the connection ended after: " + read);
            }
            read.append((char) next);
        }
        return read.toString();
    }
}
