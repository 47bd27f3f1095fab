/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.Instance;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.apache.spark.network.client.RpcResponseCallback;
import org.apache.spark.network.client.TransportClient;
import org.apache.spark.network.server.NoOpRpcHandler;
import org.apache.spark.network.server.OneForOneStreamManager;
import org.apache.spark.network.server.RpcHandler;
import org.apache.spark.network.server.StreamManager;
import org.apache.spark.network.server.TransportServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The registry of instances. An instance that registers joins the front end once the front end has connected to it, and leaves
 * when one of the two connections ends. Each registration gets a later generation than those before. Thread-safe.
 */
final class Registry extends RpcHandler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Registry.class);

    private final FrontEnd frontEnd;
    private final Map<TransportClient, Joined> joined = new ConcurrentHashMap<>();
    private final AtomicLong generations = new AtomicLong(System.currentTimeMillis());
    private final OneForOneStreamManager streams = new OneForOneStreamManager();
    private final ExecutorService connector = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "paritas-serving-registry");
        thread.setDaemon(true);
        return thread;
    });
    private final Transport incoming = new Transport(this);
    private final Transport outgoing = new Transport(new NoOpRpcHandler());
    private final TransportServer listener;
    private final String host;

    private record Joined(Wire.Registration at, Instance instance, TransportClient link) {
        String model() {
            return at.model();
        }

        String version() {
            return at.version();
        }
    }

    /**
     * Starts to listen.
     *
     * @param bindAddress an address of this machine
     * @param host its name for executors
     */
    Registry(FrontEnd frontEnd, String bindAddress, String host) {
        this.frontEnd = frontEnd;
        this.host = host;
        this.listener = incoming.listen(bindAddress);
    }

    String host() {
        return host;
    }

    int port() {
        return listener.getPort();
    }

    @Override
    public void receive(TransportClient line, ByteBuffer message, RpcResponseCallback callback) {
        byte kind = Wire.kind(message);
        if (kind == Wire.LIST) {
            callback.onSuccess(Wire.listed(instances(Wire.model(message))));
            return;
        }
        if (kind != Wire.REGISTER) {
            throw new IllegalArgumentException("messages to the driver must be REGISTER or LIST, got kind " + kind);
        }
        Wire.Registration registration = Wire.registration(message);
        // Connecting blocks, and the other side answers on a thread like this one.
        connector.execute(() -> {
            try {
                connect(line, registration);
                callback.onSuccess(Wire.registered());
            } catch (IOException | RuntimeException e) {
                callback.onFailure(e);
            }
        });
    }

    private Map<Instance, Wire.Registration> instances(Map.Entry<String, String> model) {
        return joined.values().stream()
                .filter(entry -> Map.entry(entry.model(), entry.version()).equals(model))
                .collect(Collectors.toMap(Joined::instance, Joined::at));
    }

    private void connect(TransportClient line, Wire.Registration registration) throws IOException {
        Instance instance = registration.instance(generations.incrementAndGet());
        TransportClient link = outgoing.connect(registration.host(), registration.port());
        Joined entry = new Joined(registration, instance, link);
        frontEnd.join(entry.model(), entry.version(), instance, new RemoteLink(link, instance.where()));
        joined.put(line, entry);
        var unused = link.getChannel().closeFuture().addListener(closed -> leave(line));
        LOG.info(
                "Paritas: {} of {}, version {}, is ready on {}",
                instance.id(),
                entry.model(),
                entry.version(),
                instance.where());
        if (!line.isActive()) {
            leave(line);
        }
    }

    @Override
    public void channelInactive(TransportClient line) {
        leave(line);
    }

    private void leave(TransportClient line) {
        Joined entry = joined.remove(line);
        if (entry != null) {
            LOG.info(
                    "Paritas: {} of {}, version {}, on {} is gone",
                    entry.instance.id(),
                    entry.model(),
                    entry.version(),
                    entry.instance.where());
            frontEnd.leave(entry.model(), entry.version(), entry.instance);
            entry.link.close();
            line.close();
        }
    }

    @Override
    public StreamManager getStreamManager() {
        return streams;
    }

    @Override
    public void close() {
        connector.shutdownNow();
        joined.keySet().forEach(this::leave);
        listener.close();
        incoming.close();
        outgoing.close();
    }
}
