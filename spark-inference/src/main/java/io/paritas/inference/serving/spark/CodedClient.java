/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.PublicApi;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.Instance;
import io.paritas.inference.serving.Reply;
import io.paritas.inference.serving.trace.TraceSpan;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.apache.spark.TaskContext;
import org.apache.spark.network.client.TransportClient;
import org.apache.spark.network.server.NoOpRpcHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A front end inside a task, for {@code mapPartitions}. It has coding groups, policies and deadlines of its own and asks the
 * instances of a {@link Deployment} directly; the driver tells it which these are, several times a second while they change, and
 * every two seconds otherwise. While the driver does not answer, it is connected to again, and the instances that are known are
 * asked. Thread-safe.
 *
 * <pre>{@code
 * rows.mapPartitions(queries -> {
 *     CodedClient client = CodedClient.open(handle);
 *     TaskContext.get().addTaskCompletionListener((TaskCompletionListener) task -> client.close());
 *     return client.predict("tenant", queries, 16);
 * });
 * }</pre>
 */
@PublicApi
public final class CodedClient implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CodedClient.class);
    private static final long POLL_MILLIS = 200;
    private static final long ANSWER_MILLIS = 10_000;
    private static final long CONNECT_MILLIS = 500;
    private static final long FIRST_CONNECTION_MILLIS = 10_000;
    private static final int CONNECTORS = 8;

    private final ServingHandle handle;
    private final FrontEnd frontEnd;
    private final Transport transport = new Transport(new NoOpRpcHandler());
    private final Pauses pauses = new Pauses(() -> ThreadLocalRandom.current().nextDouble());
    /* Only the thread that asks the driver uses these. */
    private Set<Instance> known = Set.of();
    private final Map<Instance, TransportClient> links = new HashMap<>();
    private final Map<Instance, CompletableFuture<TransportClient>> connecting = new HashMap<>();
    private final ExecutorService connector = Background.few("paritas-serving-connect", CONNECTORS);
    private final ScheduledExecutorService poll = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "paritas-serving-client");
        thread.setDaemon(true);
        return thread;
    });
    /* Null before the first connection. */
    private volatile TransportClient driver;
    private boolean listed = true;
    private long asksAt = System.nanoTime();

    private CodedClient(ServingHandle handle) {
        this.handle = handle;
        try {
            frontEnd = new FrontEnd();
        } catch (RuntimeException | Error e) { // there is no thread for it
            transport.close();
            throw e;
        }
        frontEnd.add(handle.model());
    }

    /**
     * Connects to the instances of a deployment.
     *
     * @throws UncheckedIOException if the driver does not answer
     * @throws IllegalStateException if the system has no thread left for the client
     */
    public static CodedClient open(ServingHandle handle) {
        CodedClient client = new CodedClient(handle);
        try {
            client.refresh();
            client.startToPoll();
            return client;
        } catch (RuntimeException | Error e) {
            client.close();
            throw e;
        } catch (IOException e) {
            client.close();
            throw new UncheckedIOException(
                    "the driver at " + handle.host() + ":" + handle.port() + " does not list the instances of "
                            + handle.model() + ": " + e.getMessage(),
                    e);
        }
    }

    /** Without the error as a cause: Spark would end the executor. */
    private void startToPoll() {
        try {
            var unused =
                    poll.scheduleWithFixedDelay(this::refreshQuietly, POLL_MILLIS, POLL_MILLIS, TimeUnit.MILLISECONDS);
        } catch (OutOfMemoryError e) {
            throw new IllegalStateException("a client must have a thread of its own, and the system gives none ("
                    + e.getMessage() + "): raise the limit of processes of the user (ulimit -u) or of the container");
        }
    }

    private void refreshQuietly() {
        if (System.nanoTime() - asksAt < 0 && links.values().stream().allMatch(TransportClient::isActive)) {
            return;
        }
        try {
            refresh();
            listed = true;
        } catch (Throwable e) { // or the driver would never be asked again
            asksAt = System.nanoTime() + pauses.next(false);
            if (listed && !poll.isShutdown()) {
                LOG.warn(
                        "Paritas: the driver does not list the instances of {}, those that are known are asked: {}",
                        handle.model(),
                        RemoteLink.firstLine(e.getMessage()));
            }
            listed = false;
        }
    }

    /** Connects to new instances and drops those that are gone. */
    private void refresh() throws IOException {
        leaveUnless(instance -> links.get(instance).isActive()); // first: the driver may not answer
        Map<Instance, Wire.Registration> now = ask();
        leaveUnless(now::containsKey);
        for (Instance gone : List.copyOf(connecting.keySet())) {
            if (!now.containsKey(gone)) {
                var unused = connecting.remove(gone).thenAccept(TransportClient::close);
            }
        }
        now.forEach((instance, at) -> {
            if (!links.containsKey(instance)) {
                connecting.computeIfAbsent(instance, fresh -> connect(at));
            }
        });
        awaitConnections();
        for (Instance instance : List.copyOf(connecting.keySet())) {
            if (connecting.get(instance).isDone()) {
                join(instance, now.get(instance), connecting.remove(instance));
            }
        }
        boolean settled = now.keySet().equals(known) && links.keySet().equals(known);
        known = Set.copyOf(now.keySet());
        asksAt = System.nanoTime() + pauses.next(!settled);
    }

    private void leaveUnless(Predicate<Instance> stays) {
        List.copyOf(links.keySet()).stream().filter(stays.negate()).forEach(this::leave);
    }

    private CompletableFuture<TransportClient> connect(Wire.Registration at) {
        return Background.call(connector, () -> transport.connect(at.host(), at.port()));
    }

    /**
     * Waits until one is connected, and then a moment for the others: a host that is down takes long. Its instances join when they are
     * connected, and others do not wait for them.
     */
    private void awaitConnections() {
        CompletableFuture<?> all = CompletableFuture.allOf(connecting.values().toArray(CompletableFuture[]::new));
        try {
            if (links.isEmpty()) {
                firstOrAll(all).get(FIRST_CONNECTION_MILLIS, TimeUnit.MILLISECONDS);
            }
            all.get(CONNECT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("Paritas: not all instances are connected", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private CompletableFuture<?> firstOrAll(CompletableFuture<?> all) {
        CompletableFuture<TransportClient> first = new CompletableFuture<>();
        for (CompletableFuture<TransportClient> one : connecting.values()) {
            var unused = one.thenAccept(first::complete);
        }
        var unused = all.whenComplete((none, failure) -> first.complete(null));
        return first;
    }

    /** Asks the driver which instances there are. */
    private Map<Instance, Wire.Registration> ask() throws IOException {
        if (driver == null || !driver.isActive()) {
            driver = transport.connect(handle.host(), handle.port());
        }
        try {
            return Wire.listed(driver.sendRpcSync(
                    Wire.list(handle.model().name(), handle.model().version()), ANSWER_MILLIS));
        } catch (RuntimeException e) {
            driver.close(); // that an answer is missing may be all that shows that the connection was cut
            throw e;
        }
    }

    private void join(Instance instance, Wire.Registration at, CompletableFuture<TransportClient> connected) {
        try {
            TransportClient link = connected.join();
            links.put(instance, link);
            frontEnd.join(at.model(), at.version(), instance, new RemoteLink(link, instance.where()));
            var unused = link.getChannel()
                    .closeFuture()
                    .addListener(closed -> frontEnd.leave(at.model(), at.version(), instance)); // without the driver
        } catch (CompletionException e) { // it starts or ends: the next refresh tries again
            LOG.debug("Paritas: an instance does not answer", e);
        }
    }

    private void leave(Instance instance) {
        frontEnd.leave(handle.model().name(), handle.model().version(), instance);
        links.remove(instance).close();
    }

    /**
     * Asks for predictions by the model's default deadline, as {@link FrontEnd#predict}.
     *
     * @param inputs one query each, row-major; must not be changed afterwards
     * @return a reply for each query, in their order; never exceptional
     */
    public List<CompletableFuture<Reply>> predict(String tenant, List<float[]> inputs) {
        return frontEnd.predict(handle.model().name(), handle.model().version(), tenant, inputs, Duration.ZERO);
    }

    /** Its replies come without another thread: nothing depends on them but who waits. */
    private CompletableFuture<Reply> predictNext(String tenant, float[] input) {
        return frontEnd.predict(
                        handle.model().name(),
                        handle.model().version(),
                        tenant,
                        List.of(input),
                        Duration.ZERO,
                        TraceSpan.OFF,
                        Runnable::run)
                .get(0);
    }

    /**
     * Asks for predictions ahead of those that are taken, so that queries form groups.
     *
     * @param inputs one query each
     * @param ahead how many queries are asked at a time, at least 1: the number of instances or more
     * @return replies in the order of the queries. It throws if its thread is interrupted while it waits for one, as Spark does with
     *     a task that it kills
     * @throws IllegalArgumentException if ahead is less than 1
     */
    public Iterator<Reply> predict(String tenant, Iterator<float[]> inputs, int ahead) {
        if (ahead < 1) {
            throw new IllegalArgumentException("the number of queries ahead must be at least 1, got " + ahead);
        }
        Deque<CompletableFuture<Reply>> asked = new ArrayDeque<>();
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return !asked.isEmpty() || inputs.hasNext();
            }

            @Override
            public Reply next() {
                while (asked.size() < ahead && inputs.hasNext()) {
                    asked.add(predictNext(tenant, inputs.next()));
                }
                if (asked.isEmpty()) {
                    throw new NoSuchElementException("there are no more queries");
                }
                return await(asked.remove());
            }
        };
    }

    /** Stops waiting if the task is killed. */
    private static Reply await(CompletableFuture<Reply> reply) {
        try {
            return reply.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            TaskContext task = TaskContext.get();
            if (task != null) {
                task.killTaskIfInterrupted();
            }
            throw new IllegalStateException("the thread was interrupted while it waited for a reply", e);
        } catch (ExecutionException e) {
            throw new CompletionException(e.getCause());
        }
    }

    /** Ends the client: queries without a reply are unavailable. */
    @Override
    public void close() {
        poll.shutdownNow(); // interrupts what waits for a host that is down
        connector.shutdownNow();
        frontEnd.close();
        if (driver != null) {
            driver.close();
        }
        transport.close();
    }
}
