/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.protocol;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The token of a server, which clients send as {@code Authorization: Bearer TOKEN}. Immutable. */
public final class BearerToken {
    /** What a client is told that did not send it. */
    public static final String REQUIRED =
            "requests must have the header Authorization: Bearer TOKEN with the token of this server";

    /* Schemes have no case (RFC 9110, 11.1). */
    private static final Pattern HEADER = Pattern.compile("bearer +(.*)", Pattern.CASE_INSENSITIVE);

    private final byte[] token;

    /** A token; empty admits everybody. */
    public BearerToken(String token) {
        this.token = token.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Whether a client is admitted; it takes as long whatever part of a token is wrong.
     *
     * @param authorization the value of its header; empty for none
     */
    public boolean admits(String authorization) {
        return token.length == 0 || isIn(authorization);
    }

    /** Whether there is a token, and a client has sent it. */
    public boolean isIn(String authorization) {
        Matcher given = HEADER.matcher(authorization);
        byte[] bytes = (given.matches() ? given.group(1) : "").getBytes(StandardCharsets.UTF_8);
        return token.length > 0 && MessageDigest.isEqual(token, bytes);
    }
}
