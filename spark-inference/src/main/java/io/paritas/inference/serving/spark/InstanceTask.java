/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.inference.Model;
import io.paritas.inference.ModelException;
import io.paritas.inference.serving.Role;
import io.paritas.inference.serving.spark.InstanceSpec.Duty;
import io.paritas.inference.serving.spark.InstanceSpec.RoleModel;
import io.paritas.inference.serving.trace.Traces;
import io.paritas.spark.job.Serialised;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.VoidFunction;
import org.apache.spark.network.client.RpcResponseCallback;
import org.apache.spark.network.client.TransportClient;
import org.apache.spark.network.server.NoOpRpcHandler;
import org.apache.spark.resource.ResourceInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The task of an instance or a spare, which lasts until it is killed, the driver is gone, or its device is lost. The task's thread only waits, so that a kill
 * ends it at once whatever the model does.
 */
record InstanceTask(InstanceSpec spec) implements VoidFunction<Iterator<String>> {
    private static final long serialVersionUID = 1;
    private static final Logger LOG = LoggerFactory.getLogger(InstanceTask.class);
    private static final long ANSWER_SECONDS = 60;

    @Override
    public void call(Iterator<String> place) throws Exception {
        TaskContext task = TaskContext.get();
        if (task.attemptNumber() > 0) {
            return; // the driver starts another, because it knows where the others run
        }
        CompletableFuture<Map<Role, Model>> loading = new CompletableFuture<>();
        Map<String, ResourceInformation> resources = task.resourcesJMap();
        Thread loader = new Thread(() -> load(spec, resources, loading), "paritas-instance-load-" + spec.id());
        loader.setDaemon(true);
        loader.start();
        Map<Role, Model> models = await(loading);
        List<Endpoint> endpoints = new ArrayList<>();
        try (Traces traces = Traces.of(spec.traces());
                Transport line = new Transport(new NoOpRpcHandler());
                TransportClient driver =
                        line.connect(spec.service().host(), spec.service().port())) {
            for (Role role : models.keySet()) {
                RoleModel sent = spec.models().get(role);
                String poolName = sent.file().poolName(sent.engine());
                ModelServer server = new ModelServer(models.get(role), poolName, spec.id() + "-" + role, traces);
                endpoints.add(Endpoint.open(role, models.get(role), server, host()));
            }
            for (Endpoint endpoint : endpoints) {
                register(spec, driver, endpoint);
            }
            LOG.info(
                    "Paritas: {} {} on {}",
                    spec.id(),
                    spec.duty() == Duty.SERVE ? "serves" : "stands by",
                    endpoints.get(0).model().device());
            stay(driver, endpoints);
        } finally {
            endpoints.forEach(Endpoint::close);
            models.values().forEach(Model::close);
        }
    }

    /** Loads the models, for whoever waits. */
    static void load(
            InstanceSpec spec,
            Map<String, ResourceInformation> resources,
            CompletableFuture<Map<Role, Model>> loading) {
        Map<Role, Model> models = new LinkedHashMap<>();
        try {
            WarmUp warmUp = Serialised.read(spec.warmUp().value());
            spec.models().forEach((role, sent) -> {
                Model model = sent.file().acquire(sent.engine(), resources);
                models.put(role, model);
                warmUp.run(model, role, spec.service().model());
            });
            if (loading.complete(models)) {
                return;
            }
        } catch (Throwable e) { // also what Spark does not declare: thrown by a thread, it ends the executor
            loading.completeExceptionally(e);
        }
        models.values().forEach(Model::close);
    }

    /** Waits for the models. They are closed by whoever loads them if nobody waits any more, and here if that comes too late. */
    static Map<Role, Model> await(CompletableFuture<Map<Role, Model>> loading) throws InterruptedException {
        try {
            return loading.get();
        } catch (InterruptedException e) {
            if (!loading.cancel(false)) {
                var unused = loading.thenAccept(models -> models.values().forEach(Model::close));
            }
            throw e;
        } catch (ExecutionException e) {
            // With an OutOfMemoryError as a cause, Spark would end the executor, and all other instances with it.
            Throwable cause = e.getCause() instanceof VirtualMachineError ? null : e.getCause();
            throw new IllegalStateException(
                    "the model cannot be loaded: " + e.getCause().getMessage(), cause);
        }
    }

    private static String host() {
        return SparkEnv.get().blockManager().blockManagerId().host();
    }

    /** Registers with the driver, which then connects. */
    private static void register(InstanceSpec spec, TransportClient driver, Endpoint endpoint) throws Exception {
        CompletableFuture<Boolean> taken = new CompletableFuture<>();
        Wire.Registration registration = new Wire.Registration(
                spec.service().model().name(),
                spec.service().model().version(),
                spec.id(),
                endpoint.role(),
                SparkEnv.get().executorId(),
                host(),
                endpoint.port());
        boolean serves = spec.duty() == Duty.SERVE;
        driver.sendRpc(serves ? Wire.register(registration) : Wire.standBy(registration), new RpcResponseCallback() {
            @Override
            public void onSuccess(ByteBuffer answer) {
                taken.complete(true);
            }

            @Override
            public void onFailure(Throwable failure) {
                taken.completeExceptionally(failure);
            }
        });
        try {
            taken.get(ANSWER_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new IOException(
                    "the driver must connect to the instance " + spec.id() + " at " + host() + ":" + endpoint.port()
                            + " within " + ANSWER_SECONDS
                            + " s, and has not: see its log, and whether a firewall is between them",
                    e);
        } catch (ExecutionException e) {
            throw new IOException(
                    "the driver refuses the instance " + spec.id() + ": "
                            + e.getCause().getMessage(),
                    e.getCause());
        }
    }

    /**
     * Waits until the task is killed, which interrupts, or the driver ends the connection.
     *
     * @throws ModelException if a model's device is lost: the instance would answer failures only
     */
    static void stay(TransportClient driver, List<Endpoint> endpoints) throws InterruptedException {
        CompletableFuture<Void> gone = new CompletableFuture<>();
        var unused = driver.getChannel().closeFuture().addListener(closed -> gone.complete(null));
        Stream<CompletableFuture<Void>> lost =
                endpoints.stream().map(endpoint -> endpoint.server().lost());
        try {
            CompletableFuture.anyOf(Stream.concat(Stream.of(gone), lost).toArray(CompletableFuture[]::new))
                    .get();
        } catch (ExecutionException e) {
            throw new ModelException(
                    "the instance can predict nothing any more: " + e.getCause().getMessage(), e.getCause());
        }
    }
}
