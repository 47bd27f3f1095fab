/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** A port of the loopback interface that the system gives nobody, so that it is still free when a server takes it. */
public final class FreePort {
    /* Connections get theirs above 32,767 on Linux. */
    private static final int LEAST_PORT = 20_000;
    private static final int PORTS = 5_000;

    private FreePort() {}

    /** Looks from a port on that other processes do not begin with. */
    public static int find() throws IOException {
        int first = LEAST_PORT + (int) (ProcessHandle.current().pid() % PORTS);
        for (int port = first; port < first + PORTS; port++) {
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (BindException e) {
                continue; // somebody's
            }
        }
        throw new IOException("no port from " + first + " on is free");
    }
}
