/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.Instance;
import io.paritas.inference.serving.ServedModel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
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
 * when one of the two connections ends, or another has registered with its id. Each registration gets a later generation than those
 * before. A spare joins in the place of a lost instance until that is back. Thread-safe.
 */
final class Registry extends RpcHandler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Registry.class);
    private static final int CONNECTORS = 32;

    private final FrontEnd frontEnd;
    /* By the connection of the instance, or of the spare in its place, one for each id; changed only by one thread at a time. */
    private final Map<TransportClient, Joined> joined = new ConcurrentHashMap<>();
    private final Spares<TransportClient> spares = new Spares<>();
    private final AtomicLong generations = new AtomicLong(System.currentTimeMillis());
    private final OneForOneStreamManager streams = new OneForOneStreamManager();
    private final ExecutorService connector = Background.few("paritas-serving-registry", CONNECTORS);
    private final Transport incoming = new Transport(this);
    private final Transport outgoing = new Transport(new NoOpRpcHandler());
    private final TransportServer listener;
    private final String host;

    private record Joined(Wire.Registration at, Instance instance, TransportClient link, boolean spare) {
        String model() {
            return at.model();
        }

        String version() {
            return at.version();
        }

        /** Whether another has registered for the same place after it. */
        boolean isBefore(Joined other) {
            return !other.spare
                    && other.at.instance().equals(at.instance())
                    && other.instance.generation() > instance.generation();
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
        try {
            this.listener = incoming.listen(bindAddress);
        } catch (Throwable e) { // Netty throws a BindException, too
            incoming.close();
            outgoing.close();
            throw e;
        }
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
        if (kind != Wire.REGISTER && kind != Wire.STAND_BY) {
            throw new IllegalArgumentException(
                    "messages to the driver must be REGISTER, STAND_BY or LIST, got kind " + kind);
        }
        Wire.Registration registration = Wire.registration(message);
        long generation = generations.incrementAndGet();
        // Connecting blocks, for minutes behind a firewall, and the other side answers on a thread like this one.
        connector.execute(() -> {
            try {
                connect(line, registration, generation, kind == Wire.STAND_BY);
                callback.onSuccess(Wire.registered());
            } catch (Throwable e) { // whatever it is, the instance waits
                LOG.warn(
                        "Paritas: {} at {}:{} does not join: {}",
                        registration.instance(),
                        registration.host(),
                        registration.port(),
                        e.toString());
                callback.onFailure(e);
            }
        });
    }

    private Map<Instance, Wire.Registration> instances(Map.Entry<String, String> model) {
        return joined.values().stream()
                .filter(entry -> Map.entry(entry.model(), entry.version()).equals(model))
                .collect(Collectors.toMap(Joined::instance, Joined::at));
    }

    /** The executors of the instances of a version that are joined. */
    Map<Instance, String> executors(ServedModel version) {
        return instances(Map.entry(version.name(), version.version())).entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, instance -> instance.getValue().executor()));
    }

    private void connect(TransportClient line, Wire.Registration at, long generation, boolean spare)
            throws IOException {
        if (!line.isActive()) {
            throw new IOException("it has given up meanwhile");
        }
        TransportClient link = outgoing.connect(at.host(), at.port());
        if (spare) {
            standBy(line, new Spares.Offer<>(at, link));
        } else {
            back(line, new Joined(at, at.instance(generation), link, false)).forEach(Registry::close);
        }
        var unused = link.getChannel().closeFuture().addListener(closed -> leave(line));
        if (!line.isActive()) {
            leave(line);
        }
    }

    private synchronized void standBy(TransportClient line, Spares.Offer<TransportClient> offer) {
        spares.offered(line, offer);
        fillPlaces();
    }

    /**
     * An instance is ready, and so is the spare in its place. Returns the connections of the instance before it if these have not
     * ended yet, as those of a machine without power: that they end later is no loss. Where another has registered meanwhile, they are
     * those of this one.
     */
    private synchronized List<TransportClient> back(TransportClient line, Joined back) {
        if (joined.values().stream().anyMatch(back::isBefore)) {
            return List.of(back.link, line);
        }
        join(line, back);
        spares.back(back.at.instance());
        List<TransportClient> connections = new ArrayList<>();
        Map.copyOf(joined).forEach((other, entry) -> {
            if (!other.equals(line) && entry.at.instance().equals(back.at.instance())) {
                joined.remove(other);
                if (!entry.spare) {
                    left(entry);
                    connections.addAll(List.of(entry.link, other));
                }
            }
        });
        fillPlaces();
        return connections;
    }

    private void join(TransportClient line, Joined entry) {
        RemoteLink link = new RemoteLink(entry.link, entry.instance.where());
        frontEnd.join(entry.model(), entry.version(), entry.instance, link);
        joined.put(line, entry);
        LOG.info(
                "Paritas: {} of {}, version {}, is ready on {}{}",
                entry.instance.id(),
                entry.model(),
                entry.version(),
                entry.instance.where(),
                entry.spare ? ", a spare" : "");
    }

    private void fillPlaces() {
        for (var next = spares.next(joined.keySet()); next.isPresent(); next = spares.next(joined.keySet())) {
            Spares.StandIn<TransportClient> in = next.get();
            Instance instance = in.at().instance(generations.incrementAndGet());
            join(in.spare(), new Joined(in.at(), instance, in.offer().link(), true));
        }
    }

    /** From now on, a spare stands in for an instance while it is lost. */
    synchronized void expect(String instance) {
        spares.expect(instance);
    }

    /** An instance that ends is not missed. */
    synchronized void dismiss(String instance) {
        spares.dismiss(instance);
        List<TransportClient> inItsPlace = joined.entrySet().stream()
                .filter(entry ->
                        entry.getValue().spare && entry.getValue().instance.id().equals(instance))
                .map(Map.Entry::getKey)
                .toList();
        inItsPlace.forEach(spare -> left(joined.remove(spare)));
        fillPlaces();
    }

    @Override
    public void channelInactive(TransportClient line) {
        leave(line);
    }

    private void leave(TransportClient line) {
        remove(line).forEach(Registry::close);
    }

    /** Does not wait, as {@link TransportClient#close} does: this may be the thread that another connection has to be closed by. */
    private static void close(TransportClient connection) {
        var unused = connection.getChannel().close();
    }

    /** Removes an instance or a spare; returns its connections, none if it was removed before. */
    private synchronized List<TransportClient> remove(TransportClient line) {
        List<TransportClient> connections = new ArrayList<>();
        spares.lost(line).values().forEach(offer -> connections.add(offer.link()));
        Joined entry = joined.remove(line);
        if (entry != null) {
            left(entry);
            spares.lost(entry.at);
            connections.add(entry.link);
        }
        if (!connections.isEmpty()) {
            connections.add(line);
            fillPlaces();
        }
        return connections;
    }

    private void left(Joined entry) {
        LOG.info(
                "Paritas: {} of {}, version {}, on {} is gone",
                entry.instance.id(),
                entry.model(),
                entry.version(),
                entry.instance.where());
        frontEnd.leave(entry.model(), entry.version(), entry.instance);
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
