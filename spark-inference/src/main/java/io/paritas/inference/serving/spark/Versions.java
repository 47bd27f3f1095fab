/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.inference.serving.http.Repository;
import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.settings.Setting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.SparkConf;

/** The versions of the model that an application serves, one after the other. Thread-safe. */
public final class Versions implements Repository {
    private static final String MODEL = "model";
    private static final String VERSION = "version";
    private static final Map<String, Setting<?>> PARAMETERS = Map.of(
            MODEL,
            ServingSettings.MODEL,
            VERSION,
            ServingSettings.VERSION,
            "parity",
            CodedSettings.PARITY,
            "backup",
            ServingSettings.BACKUP);
    private static final Set<String> PATHS = Set.of(MODEL, "parity", "backup");

    private final SparkConf conf;
    private final Deployment deployment;
    private final Duration limit;
    private final AtomicBoolean replacing = new AtomicBoolean();
    private volatile ServingPlan current;

    /**
     * Begins with the deployed version.
     *
     * @param conf the settings of all versions but their models
     * @param current the deployed version
     * @param limit longest wait for the instances of a new version
     */
    public Versions(SparkConf conf, Deployment deployment, ServingPlan current, Duration limit) {
        this.conf = conf.clone();
        this.deployment = deployment;
        this.current = current;
        this.limit = limit;
    }

    @Override
    public CompletableFuture<String> load(String name, Map<String, String> parameters) {
        if (!name.equals(current.served().name())) {
            return CompletableFuture.failedFuture(new IllegalArgumentException(
                    "the model of a load must be " + current.served().name() + ", got " + name));
        }
        if (!replacing.compareAndSet(false, true)) {
            return CompletableFuture.failedFuture(new ConflictException(
                    "another version of " + name + " is being loaded: ask again when that is done", null));
        }
        CompletableFuture<String> done = new CompletableFuture<>();
        Thread thread = new Thread(() -> run(parameters, done), "paritas-serving-load");
        thread.setDaemon(true);
        thread.start();
        return done;
    }

    private void run(Map<String, String> parameters, CompletableFuture<String> done) {
        try {
            String version = replace(parameters);
            replacing.set(false);
            done.complete(version);
        } catch (InterruptedException | RuntimeException e) {
            replacing.set(false);
            done.completeExceptionally(e);
        }
    }

    private String replace(Map<String, String> parameters) throws InterruptedException {
        ServingPlan next = next(conf, current, parameters);
        try {
            deployment.replace(current, next, limit).get();
        } catch (ExecutionException e) {
            throw new ConflictException(e.getCause().getMessage(), e);
        }
        current = next;
        return next.served().version();
    }

    /** The plan of the version after another. */
    static ServingPlan next(SparkConf conf, ServingPlan former, Map<String, String> parameters) {
        parameters.forEach(Versions::require);
        if (!parameters.containsKey(MODEL)) {
            throw new IllegalArgumentException("a load must have the parameter 'model', the path of the new model");
        }
        SparkConf settings = conf.clone();
        settings.remove(CodedSettings.PARITY.key()); // they belong to the former model
        settings.set(ServingSettings.VERSION.key(), after(former.served().version(), parameters));
        parameters.forEach((name, value) -> settings.set(PARAMETERS.get(name).key(), value));
        ServingPlan next = ServingPlan.of(settings);
        requireSame("input", former.served().input(), next.served().input());
        requireSame("output", former.served().output(), next.served().output());
        return next;
    }

    private static void require(String name, String value) {
        if (!PARAMETERS.containsKey(name)) {
            throw new IllegalArgumentException(
                    "the parameters of a load must be 'model', 'version', 'parity' or 'backup', got '" + name + "'");
        }
        if (PATHS.contains(name) && !Path.of(value).isAbsolute()) {
            throw new IllegalArgumentException(
                    "the parameter '" + name + "' must be an absolute path on the driver, got '" + value + "'");
        }
    }

    private static String after(String version, Map<String, String> parameters) {
        String given = parameters.get(VERSION);
        if (version.equals(given)) {
            throw new IllegalArgumentException("a new version must differ from the former one, got " + version);
        }
        if (given == null && !version.matches("\\d{1,9}")) {
            throw new IllegalArgumentException("a load after the version '" + version
                    + "' must have the parameter 'version', because it is no number");
        }
        return given == null ? String.valueOf(Long.parseLong(version) + 1) : given;
    }

    private static void requireSame(String what, Object former, Object next) {
        if (!former.equals(next)) {
            throw new IllegalArgumentException("a new version must have the " + what + " of the former one, " + former
                    + ", got " + next + ": serve it under another name");
        }
    }
}
