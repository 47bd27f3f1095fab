/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The hosts that requests may name. Without a token these are names and addresses of loopback: otherwise a page of others, whose name is
 * made to lead to this machine (DNS rebinding), would have the origin of the server, and could read its answers in a browser.
 */
final class Hosts {
    /* A port, and the dot of the root with which names may end. */
    private static final Pattern END = Pattern.compile("\\.?(:\\d*)?$");

    private final HttpOptions options;

    /** The hosts of a server with these options. */
    Hosts(HttpOptions options) {
        this.options = options;
    }

    /** Whether the value of a header Host, with a port or without, is one of them. */
    boolean contain(String header) {
        if (!options.token().isEmpty()) {
            return true;
        }
        String host = END.matcher(header.strip()).replaceFirst("");
        return host.equalsIgnoreCase(options.host()) || isLoopback(host.toLowerCase(Locale.ROOT));
    }

    /* Names that end with localhost are of loopback, too (RFC 6761, 6.3). */
    private static boolean isLoopback(String host) {
        InetAddress address = NetUtil.createInetAddressFromIpAddressString(host);
        return address == null ? host.equals("localhost") || host.endsWith(".localhost") : address.isLoopbackAddress();
    }
}
