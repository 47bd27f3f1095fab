/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.timeout.WriteTimeoutHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.paritas.inference.serving.FrontEnd;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;

/**
 * Answers the Open Inference Protocol (KServe v2) for a front end. Thread-safe.
 *
 * <p>Netty, because Spark brings it and keeps it up to date, it never holds a thread for a client, and it bounds what a request
 * may be before memory is taken for it.
 */
public final class HttpServer implements AutoCloseable {
    private static final int THREADS = 4;
    private static final int BACKLOG = 1_024;

    private final FrontEnd frontEnd;
    private final HttpOptions options;
    private final EventLoopGroup threads = new MultiThreadIoEventLoopGroup(
            THREADS, new DefaultThreadFactory("paritas-http", true), NioIoHandler.newFactory());
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final Channel listener;

    /**
     * Starts to listen.
     *
     * @throws IllegalStateException if the address cannot be had
     */
    public HttpServer(FrontEnd frontEnd, HttpOptions options) {
        this(frontEnd, options, Optional.empty());
    }

    /**
     * The same for a server whose models clients may replace, if they have its token.
     *
     * @throws IllegalStateException if the address cannot be had
     */
    public HttpServer(FrontEnd frontEnd, HttpOptions options, Repository repository) {
        this(frontEnd, options, Optional.of(repository));
    }

    private HttpServer(FrontEnd frontEnd, HttpOptions options, Optional<Repository> repository) {
        this.frontEnd = frontEnd;
        this.options = options;
        Routes routes = new Routes(frontEnd, options.token(), repository);
        try {
            Optional<SslContext> tls = options.tls().map(HttpServer::tls);
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
                            connect(channel, routes, tls);
                        }
                    })
                    .bind(options.host(), options.port())
                    .syncUninterruptibly()
                    .channel();
        } catch (RuntimeException e) {
            end();
            throw e;
        } catch (Exception e) { // Netty throws what bind says, undeclared
            end();
            throw new IllegalStateException(
                    "cannot listen on " + options.host() + ":" + options.port() + ": " + e.getMessage()
                            + ": choose another port, or end who has it",
                    e);
        }
    }

    /* The JDK's, for the versions of TLS that its security settings allow. */
    private static SslContext tls(HttpOptions.Tls files) {
        try {
            return SslContextBuilder.forServer(
                            files.certificate().toFile(), files.key().toFile())
                    .sslProvider(SslProvider.JDK)
                    .build();
        } catch (SSLException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "TLS needs a certificate and its key as PEM, the key as PKCS #8 without a password; "
                            + files.certificate() + " and " + files.key() + " are not: " + e.getMessage(),
                    e);
        }
    }

    private void connect(SocketChannel channel, Routes routes, Optional<SslContext> tls) {
        if (connections.size() >= options.connections()) {
            var unused = channel.close();
            return;
        }
        connections.add(channel);
        channel.pipeline().addLast(new Patience(options.receive(), options.idle()));
        tls.ifPresent(context -> channel.pipeline().addLast(context.newHandler(channel.alloc())));
        channel.pipeline()
                .addLast(new WriteTimeoutHandler(options.idle().toMillis(), TimeUnit.MILLISECONDS))
                .addLast(new HttpServerCodec())
                .addLast(new Bodies(options.bodyBytes()))
                .addLast(new FlowControlHandler())
                .addLast(new Connection(routes));
    }

    /** Puts requests together, and says what is too much in the protocol's form. */
    private static final class Bodies extends HttpObjectAggregator {
        private final int bytes;

        Bodies(int bytes) {
            super(bytes);
            this.bytes = bytes;
        }

        @Override
        protected void handleOversizedMessage(ChannelHandlerContext context, HttpMessage oversized) {
            Connection.refuse(
                    context,
                    new Problem(
                            HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE,
                            "a body may have " + bytes + " bytes, this one has more: send fewer rows at once"));
        }
    }

    /** For example {@code http://127.0.0.1:8080}. */
    public String url() {
        InetSocketAddress address = (InetSocketAddress) listener.localAddress();
        String host = address.getAddress().getHostAddress();
        return (options.tls().isPresent() ? "https://" : "http://") + (host.contains(":") ? "[" + host + "]" : host)
                + ":" + address.getPort();
    }

    /**
     * Ends gracefully: no more connections and queries, and those that are there get their replies.
     *
     * @param limit how long to wait for them
     * @return whether all got theirs
     */
    public boolean drain(Duration limit) throws InterruptedException {
        listener.close().sync();
        try {
            frontEnd.drain().get(limit.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new CompletionException(e.getCause());
        }
    }

    /** Ends at once; does nothing the second time. */
    @Override
    public void close() {
        if (threads.isShuttingDown()) {
            return;
        }
        listener.close().syncUninterruptibly();
        connections.close().awaitUninterruptibly();
        end();
    }

    private void end() {
        threads.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
