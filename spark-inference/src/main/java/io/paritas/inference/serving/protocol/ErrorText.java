/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.protocol;

/** What clients are told of errors, and logs with them: not more than a client takes, whatever of its request is repeated. */
public final class ErrorText {
    /* gRPC sends it as a header. Clients take 8 KiB of headers, and some of that are others. */
    private static final int MOST_BYTES = 6_000;
    /* A character of three bytes in UTF-8, each percent-encoded. */
    private static final int ENCODED_BYTES = 9;

    private ErrorText() {}

    /** A message, or its beginning and three dots if it is too long. */
    public static String of(String message) {
        String text = String.valueOf(message);
        int bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
            bytes += letter >= ' ' && letter <= '~' && letter != '%' ? 1 : ENCODED_BYTES;
            if (bytes > MOST_BYTES) {
                return text.substring(0, i) + "...";
            }
        }
        return text;
    }
}
