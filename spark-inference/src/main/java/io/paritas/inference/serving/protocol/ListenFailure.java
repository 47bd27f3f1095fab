/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.protocol;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;

/** What is said when a server cannot listen. */
public final class ListenFailure {
    private ListenFailure() {}

    /**
     * The failure of a server, with advice.
     *
     * @param why what the operating system says of the address
     */
    public static IllegalStateException of(String host, int port, Throwable why) {
        return new IllegalStateException(
                "cannot listen on " + host + ":" + port + ": " + why.getMessage() + ": "
                        + (isOfThisMachine(host)
                                ? "choose another port, or end the process that has it"
                                : "choose an address of this machine"),
                why);
    }

    /* Tried, because the operating system says in the language of the machine what is wrong. */
    private static boolean isOfThisMachine(String host) {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getByName(host))) {
            return other.isBound();
        } catch (BindException | UnknownHostException e) {
            return false;
        } catch (IOException e) { // as where too many files are open: it says nothing of the address
            return true;
        }
    }
}
