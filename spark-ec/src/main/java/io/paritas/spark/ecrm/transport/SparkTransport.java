/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.transport;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Codec;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.WireException;
import io.paritas.spark.job.DaemonThreads;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.network.TransportContext;
import org.apache.spark.network.client.RpcResponseCallback;
import org.apache.spark.network.client.TransportClient;
import org.apache.spark.network.client.TransportClientBootstrap;
import org.apache.spark.network.client.TransportClientFactory;
import org.apache.spark.network.crypto.AuthClientBootstrap;
import org.apache.spark.network.crypto.AuthServerBootstrap;
import org.apache.spark.network.netty.SparkTransportConf;
import org.apache.spark.network.server.NoOpRpcHandler;
import org.apache.spark.network.server.TransportServer;
import org.apache.spark.network.server.TransportServerBootstrap;
import org.apache.spark.network.util.TransportConf;
import org.apache.spark.storage.BlockManagerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/**
 * A transport on Spark's network library, with Spark's authentication and encryption: {@code spark.authenticate},
 * {@code spark.network.crypto.enabled} and {@code spark.ssl.rpc} apply. Threads and buffer sizes are set as for Spark's
 * modules, under {@code spark.paritas.io}. Messages are one-way. Answers to a participant without an endpoint use the
 * connection that it has opened.
 */
public final class SparkTransport implements Transport {
    private static final Logger LOG = LoggerFactory.getLogger(SparkTransport.class);
    private static final String MODULE = "paritas";

    private final String host;
    private final Receiver receiver;
    private final Consumer<Address> gone;
    private final TransportContext context;
    private final TransportClientFactory factory;
    private final TransportServer server;
    private final Map<String, CompletableFuture<TransportClient>> connections = new ConcurrentHashMap<>();
    /** Connections that others have opened. */
    private final Map<Address, TransportClient> callers = new ConcurrentHashMap<>();

    private final ExecutorService connector = Executors.newCachedThreadPool(DaemonThreads.named("paritas-connect"));

    /**
     * Listens on a free port of this process of Spark.
     *
     * @param receiver takes messages
     * @param gone takes the address of a participant whose connection has ended
     */
    public static SparkTransport of(SparkEnv env, Receiver receiver, Consumer<Address> gone) {
        BlockManagerId self = env.blockManager().blockManagerId();
        String host = self.host();
        String address = self.isDriver() ? env.conf().get("spark.driver.bindAddress", host) : host;
        return new SparkTransport(env.conf(), env.securityManager(), address, host, receiver, gone);
    }

    /**
     * Listens on a free port.
     *
     * @param address of this machine to listen on
     * @param host name of this machine for others
     * @param receiver takes messages
     * @param gone takes the address of a participant whose connection has ended
     */
    public SparkTransport(
            SparkConf conf,
            SecurityManager security,
            String address,
            String host,
            Receiver receiver,
            Consumer<Address> gone) {
        this.host = host;
        this.receiver = receiver;
        this.gone = gone;
        TransportConf transport = SparkTransportConf.fromSparkConf(
                conf, MODULE, 2, Option.empty(), Option.apply(security.getRpcSSLOptions()));
        this.context = new TransportContext(transport, new Handler());
        boolean authenticated = security.isAuthenticationEnabled();
        this.factory = context.createClientFactory(
                authenticated
                        ? List.<TransportClientBootstrap>of(
                                new AuthClientBootstrap(transport, security.getSaslUser(), security))
                        : List.of());
        this.server = context.createServer(
                address,
                0,
                authenticated
                        ? List.<TransportServerBootstrap>of(new AuthServerBootstrap(transport, security))
                        : List.of());
    }

    private final class Handler extends NoOpRpcHandler {
        @Override
        public void receive(TransportClient client, ByteBuffer message, RpcResponseCallback callback) {
            callback.onFailure(new UnsupportedOperationException("messages must be one-way"));
        }

        @Override
        public void receive(TransportClient client, ByteBuffer message) {
            try {
                int bytes = message.remaining();
                Envelope envelope = Codec.decode(message);
                callers.put(envelope.from(), client);
                receiver.receive(envelope, bytes);
            } catch (WireException e) {
                LOG.warn("dropped an unreadable message from {}", client.getSocketAddress(), e);
            }
        }

        @Override
        public void channelInactive(TransportClient client) {
            callers.forEach((address, other) -> {
                if (other == client && callers.remove(address, client)) {
                    gone.accept(address);
                }
            });
        }
    }

    @Override
    public String endpoint() {
        return host + ":" + server.getPort();
    }

    @Override
    public void send(Envelope envelope, String endpoint) {
        if (endpoint.isEmpty()) {
            TransportClient caller = callers.get(envelope.to());
            if (caller != null) {
                Outgoing.send(envelope, caller.getChannel());
            }
            return;
        }
        CompletableFuture<TransportClient> opened = new CompletableFuture<>();
        CompletableFuture<TransportClient> connection = connections.putIfAbsent(endpoint, opened);
        if (connection == null) {
            open(opened, endpoint, envelope);
            return;
        }
        if (connection.isCompletedExceptionally()
                || (connection.isDone() && !connection.join().isActive())) {
            connections.remove(endpoint, connection);
        } else if (connection.isDone()) {
            Outgoing.send(envelope, connection.join().getChannel());
        }
    }

    /** Connects, and sends the first message. Others are dropped until then, and not after it: the receiver may answer at once. */
    private void open(CompletableFuture<TransportClient> connection, String endpoint, Envelope first) {
        var unused = connection.thenAccept(client -> Outgoing.send(first, client.getChannel()));
        try {
            connection.completeAsync(() -> connect(endpoint), connector);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            // It is closed, or no thread can start: later messages try again.
            connection.completeExceptionally(e);
        }
    }

    private TransportClient connect(String endpoint) {
        int colon = endpoint.lastIndexOf(':');
        try {
            return factory.createClient(endpoint.substring(0, colon), Integer.parseInt(endpoint.substring(colon + 1)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        connector.shutdownNow();
        factory.close();
        server.close();
        context.close();
    }
}
