/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.grpc;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.Limits;
import io.paritas.inference.serving.http.HttpOptions;
import io.paritas.inference.serving.http.LocalInstances;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A server of two instances of the linear model, and a channel to it. */
abstract class ServedLinear {
    final ExecutorService thread = Executors.newSingleThreadExecutor();
    final FrontEnd frontEnd = new FrontEnd();
    final LocalInstances instances = new LocalInstances(frontEnd, thread);
    GrpcServer server;
    ManagedChannel channel;

    @BeforeEach
    void start() {
        instances.serve("1", Limits.DEFAULT.withDeadline(Duration.ofMinutes(1)), 2);
        server = server();
        channel = NettyChannelBuilder.forTarget(server.target()).usePlaintext().build();
    }

    GrpcServer server() {
        return new GrpcServer(frontEnd, HttpOptions.DEFAULT);
    }

    @AfterEach
    void end() {
        channel.shutdownNow();
        server.close();
        frontEnd.close();
        thread.shutdownNow();
    }
}
