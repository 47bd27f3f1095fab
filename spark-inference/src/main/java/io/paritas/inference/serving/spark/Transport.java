/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import java.io.IOException;
import java.util.List;
import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.network.TransportContext;
import org.apache.spark.network.client.TransportClient;
import org.apache.spark.network.client.TransportClientFactory;
import org.apache.spark.network.crypto.AuthClientBootstrap;
import org.apache.spark.network.crypto.AuthServerBootstrap;
import org.apache.spark.network.netty.SparkTransportConf;
import org.apache.spark.network.server.RpcHandler;
import org.apache.spark.network.server.TransportServer;
import org.apache.spark.network.util.TransportConf;
import scala.Option;

/** Spark's transport, with the application's authentication and encryption. Thread-safe. */
final class Transport implements AutoCloseable {
    private static final String MODULE = "paritas";
    private static final int THREADS = 2;

    private final TransportContext context;
    private final TransportClientFactory clients;
    private final SecurityManager security;
    private final TransportConf conf;

    /** Creates a transport whose incoming messages go to the handler. */
    Transport(RpcHandler handler) {
        this(SparkEnv.get().conf(), SparkEnv.get().securityManager(), handler);
    }

    Transport(SparkConf settings, SecurityManager security, RpcHandler handler) {
        this.security = security;
        // Whoever waits for a connection waits for a minute at most, and some threads connect to all.
        SparkConf brief = settings.clone().setIfMissing("spark." + MODULE + ".io.connectionCreationTimeout", "10s");
        conf = SparkTransportConf.fromSparkConf(
                brief, MODULE, THREADS, Option.empty(), Option.apply(security.getRpcSSLOptions()));
        context = new TransportContext(conf, handler);
        clients = context.createClientFactory(
                security.isAuthenticationEnabled()
                        ? List.of(new AuthClientBootstrap(conf, settings.getAppId(), security))
                        : List.of());
    }

    /** Listens on any free port of an address. */
    TransportServer listen(String host) {
        return context.createServer(
                host,
                0,
                security.isAuthenticationEnabled() ? List.of(new AuthServerBootstrap(conf, security)) : List.of());
    }

    /** Opens a connection, shared with nobody. */
    TransportClient connect(String host, int port) throws IOException {
        try {
            return clients.createUnmanagedClient(host, port);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while connecting to " + host + ":" + port, e);
        }
    }

    @Override
    public void close() {
        clients.close();
        context.close();
    }
}
