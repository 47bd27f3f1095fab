/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.compression.CompressionOptions;
import io.netty.handler.codec.compression.StandardCompressionOptions;
import io.netty.handler.codec.http.HttpContentCompressor;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.timeout.WriteTimeoutHandler;
import io.paritas.PublicApi;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.protocol.BodyMemory;
import io.paritas.inference.serving.protocol.Connections;
import io.paritas.inference.serving.protocol.ListenFailure;
import io.paritas.inference.serving.protocol.ServerThreads;
import io.paritas.inference.serving.protocol.ServerTls;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * An HTTP server of the Open Inference Protocol (KServe v2) for a front end. Thread-safe.
 *
 * <p>It runs on Netty, because Spark brings it up to date, no client holds a thread, and requests are bounded before memory is
 * allocated for them.
 */
@PublicApi
public final class HttpServer implements AutoCloseable {
    private static final int THREADS = 4;
    private static final int BACKLOG = 1_024;
    /* More than a request is on its way. */
    private static final Duration GRACE = Duration.ofSeconds(1);
    /* Shorter replies are not worth the time; a client must ask for compression. */
    private static final int COMPRESSED_BYTES = 1_024;
    /* The fastest, with the usual window and memory. */
    private static final CompressionOptions GZIP = StandardCompressionOptions.gzip(1, 15, 8);
    private static final CompressionOptions DEFLATE = StandardCompressionOptions.deflate(1, 15, 8);

    private final FrontEnd frontEnd;
    private final HttpOptions options;
    private final EventLoopGroup threads = ServerThreads.of(THREADS, "paritas-http");
    private final BodyMemory memory;
    private final Connections connections;
    private final Routes routes;
    private final Channel listener;

    /**
     * Starts to listen.
     *
     * @throws IllegalStateException if the address is taken, or is not of this machine
     * @throws IllegalArgumentException if the TLS files cannot be used
     */
    public HttpServer(FrontEnd frontEnd, HttpOptions options) {
        this(frontEnd, options, Optional.empty(), BodyMemory.OF_PROCESS);
    }

    /**
     * Starts to listen, and lets clients that have the token replace models.
     *
     * @throws IllegalStateException if the address is taken, or is not of this machine
     * @throws IllegalArgumentException if the TLS files cannot be used
     */
    public HttpServer(FrontEnd frontEnd, HttpOptions options, Repository repository) {
        this(frontEnd, options, Optional.of(repository), BodyMemory.OF_PROCESS);
    }

    HttpServer(FrontEnd frontEnd, HttpOptions options, Optional<Repository> repository, BodyMemory memory) {
        this.frontEnd = frontEnd;
        this.options = options;
        this.memory = memory;
        memory.warnOfBodies(options.bounds().bodyBytes());
        this.connections = new Connections(options.bounds().connections());
        this.routes = new Routes(frontEnd, options, repository);
        try {
            Optional<SslContext> tls = options.tls()
                    .map(files -> ServerTls.of(
                            files.certificate(), files.key(), builder -> builder.sslProvider(SslProvider.JDK)));
            listener = new ServerBootstrap()
                    .group(threads)
                    .channel(NioServerSocketChannel.class)
                    .option(ChannelOption.SO_BACKLOG, BACKLOG)
                    .option(ChannelOption.SO_REUSEADDR, true)
                    .childOption(ChannelOption.TCP_NODELAY, true)
                    .childOption(ChannelOption.AUTO_READ, false)
                    .childHandler(new ChannelInitializer<SocketChannel>() {
                        @Override
                        protected void initChannel(SocketChannel channel) {
                            connect(channel, tls);
                        }
                    })
                    .bind(options.host(), options.port())
                    .syncUninterruptibly()
                    .channel();
        } catch (RuntimeException e) {
            end();
            throw e;
        } catch (Exception e) { // Netty throws the exceptions of bind undeclared
            end();
            throw ListenFailure.of(options.host(), options.port(), e);
        }
    }

    private void connect(SocketChannel channel, Optional<SslContext> tls) {
        if (!connections.add(channel)) {
            var unused = channel.close();
            return;
        }
        HttpOptions.Bounds bounds = options.bounds();
        channel.pipeline().addLast(new RequestTimeout(bounds, connections));
        tls.ifPresent(context -> channel.pipeline().addLast(context.newHandler(channel.alloc())));
        channel.pipeline()
                .addLast(new WriteTimeoutHandler(bounds.idle().toMillis(), TimeUnit.MILLISECONDS))
                .addLast(new HttpServerCodec())
                .addLast(new HttpContentCompressor(COMPRESSED_BYTES, GZIP, DEFLATE))
                .addLast(new Requests(bounds.bodyBytes(), routes, connections, memory))
                .addLast(new FlowControlHandler())
                .addLast(new Connection(routes, connections));
    }

    /** For example {@code http://127.0.0.1:8080}. */
    public String url() {
        InetSocketAddress address = (InetSocketAddress) listener.localAddress();
        String host = address.getAddress().getHostAddress();
        return (options.tls().isPresent() ? "https://" : "http://") + (host.contains(":") ? "[" + host + "]" : host)
                + ":" + address.getPort();
    }

    /**
     * Ends gracefully: takes no more connections, and after a second no more queries, and waits until replies to the others are sent. In
     * that second, a connection that is kept has time for a request that is on its way, whose reply is its last one. Then connections are
     * closed when they have no request any more. From the start the probes say that nothing is ready, and loads and unloads of models are refused, also those
     * that are on their way.
     *
     * @param limit longest wait
     * @return whether all replies were sent in time
     * @throws CompletionException if the front end fails meanwhile
     */
    public boolean drain(Duration limit) throws InterruptedException {
        return drain(GRACE, limit);
    }

    /** @param grace how long connections without a request are kept at most */
    boolean drain(Duration grace, Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        connections.beginToEnd(); // who sees that no connection is taken any more gets a last reply
        routes.beginToEnd(); // its replies to loads that are on their way are the last of their connections
        listener.close().sync();
        connections.end(grace.compareTo(limit) < 0 ? grace : limit);
        try {
            frontEnd.drain().thenCompose(drained -> connections.answers()).get(end - System.nanoTime(), NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new CompletionException(e.getCause());
        }
    }

    /** Ends at once. Does nothing the second time. */
    @Override
    public void close() {
        if (threads.isShuttingDown()) {
            return;
        }
        listener.close().syncUninterruptibly();
        connections.close();
        end();
    }

    private void end() {
        threads.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
