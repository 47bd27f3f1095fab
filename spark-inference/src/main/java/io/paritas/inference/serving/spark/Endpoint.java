/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.inference.Model;
import io.paritas.inference.serving.Role;
import org.apache.spark.network.server.TransportServer;

/** A loaded model that answers batches on a port of this executor. It does not close the model. */
record Endpoint(Role role, Model model, ModelServer server, Transport transport, TransportServer listener)
        implements AutoCloseable {

    /** Starts to listen, on any free port. It closes the server with itself, also if it cannot listen. */
    static Endpoint open(Role role, Model model, ModelServer server, String host) {
        Transport transport = new Transport(server);
        try {
            return new Endpoint(role, model, server, transport, transport.listen(host));
        } catch (Throwable e) { // Netty throws a BindException, too; it is tried again and again
            transport.close();
            server.close();
            throw e;
        }
    }

    int port() {
        return listener.getPort();
    }

    @Override
    public void close() {
        listener.close();
        transport.close();
        server.close();
    }
}
