/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.grpc;

import io.grpc.Server;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.ssl.SslProvider;
import io.paritas.PublicApi;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.http.HttpOptions;
import io.paritas.inference.serving.protocol.BearerToken;
import io.paritas.inference.serving.protocol.BodyMemory;
import io.paritas.inference.serving.protocol.Connections;
import io.paritas.inference.serving.protocol.ListenFailure;
import io.paritas.inference.serving.protocol.ServerThreads;
import io.paritas.inference.serving.protocol.ServerTls;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A gRPC server of the Open Inference Protocol (KServe v2) for a front end, with the same token, TLS and bounds as one over HTTP.
 * Thread-safe.
 *
 * <p>Calls are read and answered on Netty's threads, because nothing of it waits. A call of a client without the token is refused by its
 * head, before its message is read.
 */
@PublicApi
public final class GrpcServer implements AutoCloseable {
    private static final int THREADS = 2;
    private static final int BACKLOG = 1_024;
    /* What RFC 9113, 6.5.2, asks servers not to go below; each may have a message of the longest. */
    private static final int CALLS_PER_CONNECTION = 100;
    /* Of a connection; clients that ask twice cancel many. Calls that are begun and reset are not among those that it has. */
    private static final int RESETS = 10_000;
    private static final int RESETS_SECONDS = 10;

    private final HttpOptions options;
    private final BodyMemory memory;
    private final InferenceService service;
    private final EventLoopGroup threads = ServerThreads.of(THREADS, "paritas-grpc");
    private final Server server;

    /**
     * Starts to listen.
     *
     * @param options those of an {@link io.paritas.inference.serving.http.HttpServer}, with another port
     * @throws IllegalStateException if the address is taken, or is not of this machine
     * @throws IllegalArgumentException if the TLS files cannot be used
     */
    public GrpcServer(FrontEnd frontEnd, HttpOptions options) {
        this(frontEnd, options, BodyMemory.OF_PROCESS);
    }

    GrpcServer(FrontEnd frontEnd, HttpOptions options, BodyMemory memory) {
        this.options = options;
        this.memory = memory;
        memory.warnOfBodies(options.bounds().bodyBytes());
        this.service = new InferenceService(frontEnd, options.bounds().replyBytes());
        try {
            this.server = builder().build().start();
        } catch (IOException e) {
            end();
            throw ListenFailure.of(options.host(), options.port(), e.getCause() == null ? e : e.getCause());
        } catch (RuntimeException e) {
            end();
            throw e;
        }
    }

    private NettyServerBuilder builder() {
        HttpOptions.Bounds bounds = options.bounds();
        Callers callers = new Callers(new Connections(bounds.connections()));
        NettyServerBuilder builder = NettyServerBuilder.forAddress(
                        new InetSocketAddress(options.host(), options.port()))
                .bossEventLoopGroup(threads)
                .workerEventLoopGroup(threads)
                .channelFactory(() -> new BoundedListener(callers))
                .withOption(ChannelOption.SO_BACKLOG, BACKLOG)
                .directExecutor()
                .maxInboundMessageSize(bounds.bodyBytes())
                .maxConcurrentCallsPerConnection(CALLS_PER_CONNECTION)
                .maxRstFramesPerWindow(RESETS, RESETS_SECONDS)
                .maxConnectionIdle(bounds.idle().toMillis(), TimeUnit.MILLISECONDS)
                // A client whose machine has vanished has no calls any more.
                .keepAliveTime(bounds.idle().toMillis(), TimeUnit.MILLISECONDS)
                .keepAliveTimeout(bounds.receive().toMillis(), TimeUnit.MILLISECONDS)
                .addService(LegibleMessages.of(service.bindService()));
        MessageEncodings.set(builder);
        ArrivingMessages.bound(builder, memory, threads, bounds.receive());
        builder.intercept(new Admission(new BearerToken(options.token()), callers)); // first, because it is the last
        builder.handshakeTimeout(bounds.receive().toMillis(), TimeUnit.MILLISECONDS);
        options.tls()
                .ifPresent(files -> builder.sslContext(ServerTls.of(
                        files.certificate(),
                        files.key(),
                        context -> GrpcSslContexts.configure(context, SslProvider.JDK))));
        return builder;
    }

    /** For example {@code 127.0.0.1:8001}: what clients call the target. */
    public String target() {
        InetSocketAddress address =
                (InetSocketAddress) server.getListenSockets().get(0);
        String host = address.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    /** Takes no more connections and calls. Those that there are go on; drain the front end, and {@link #awaitReplies}. */
    public void drain() {
        server.shutdown();
    }

    /**
     * Waits until all replies are sent, after the front end is drained, and ends streams that have theirs.
     *
     * @param limit longest wait
     * @return whether all replies were sent in time
     */
    public boolean awaitReplies(Duration limit) throws InterruptedException {
        service.endStreams();
        return server.awaitTermination(limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Ends at once. Does nothing the second time. */
    @Override
    public void close() {
        server.shutdownNow();
        end();
    }

    private void end() {
        threads.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
