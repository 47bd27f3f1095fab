/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.inference.ModelException;
import io.paritas.inference.serving.ModelFolder;
import io.paritas.inference.serving.Policy;
import io.paritas.inference.serving.Role;
import io.paritas.inference.serving.UnknownModelException;
import io.paritas.inference.serving.http.Repository;
import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.inference.spark.settings.EngineSettings;
import io.paritas.settings.Setting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.apache.spark.SparkConf;

/** The models that an application serves, and their versions, one after the other. Thread-safe. */
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
    /* What is of the application's first model only. */
    private static final List<Setting<?>> OF_ONE_MODEL = List.of(
            ServingSettings.VERSION,
            ServingSettings.WARM_UP,
            ServingSettings.BACKUP,
            CodedSettings.PARITY,
            EngineSettings.PROTECT_PLAN);

    private final SparkConf conf;
    private final Deployment deployment;
    private final Duration limit;
    private final AtomicBoolean changing = new AtomicBoolean();
    private final Map<String, Loaded> current = new ConcurrentSkipListMap<>();
    /* Why the last load of a model of the folder failed, until one succeeds. */
    private final Map<String, String> refused = new ConcurrentHashMap<>();
    private final Listing listing = new Listing(this::troubles);

    /** A version that is served, and the parameters of its load. */
    private record Loaded(ServingPlan plan, Map<String, String> parameters) {}

    /**
     * Begins with the deployed versions.
     *
     * @param conf the settings of the application
     * @param current the deployed versions, one of each model
     * @param limit longest wait for the instances of a new version
     */
    public Versions(SparkConf conf, Deployment deployment, List<ServingPlan> current, Duration limit) {
        this.conf = conf.clone();
        this.deployment = deployment;
        this.limit = limit;
        current.forEach(plan -> this.current.put(plan.served().name(), new Loaded(plan, Map.of())));
    }

    /** All models, those that are served and those of the folder; a damaged one with what is wrong with it. */
    @Override
    public CompletableFuture<List<Candidate>> candidates() {
        return listing.now().thenApply(troubles -> {
            SortedMap<String, String> all = new TreeMap<>(troubles);
            refused.forEach((name, reason) -> all.computeIfPresent(name, (of, now) -> now.isEmpty() ? reason : now));
            current.keySet().forEach(name -> all.putIfAbsent(name, ""));
            return all.entrySet().stream()
                    .map(model -> new Candidate(model.getKey(), model.getValue()))
                    .toList();
        });
    }

    private SortedMap<String, String> troubles() {
        return folder().map(ModelFolder::troubles).orElseGet(TreeMap::new);
    }

    private Optional<ModelFolder> folder() {
        return new ServingConf(conf).folder();
    }

    @Override
    public CompletableFuture<String> load(String name, Map<String, String> parameters) {
        return change(name, () -> {
            Loaded former = current.get(name);
            ServingPlan next = planned(name, former, parameters);
            if (former == null) {
                deploy(next);
            } else if (next.equals(former.plan)) {
                return next.served().version(); // as Triton has it, when nothing is new
            } else {
                await(deployment.replace(former.plan, next, limit));
            }
            current.put(name, new Loaded(next, Map.copyOf(parameters)));
            return next.served().version();
        });
    }

    @Override
    public CompletableFuture<Void> unload(String name) {
        return change(name, () -> {
            Loaded former = current.get(name);
            if (former == null) {
                throw unknown(name, "");
            }
            await(deployment.remove(former.plan.served()));
            current.remove(name);
            return null;
        });
    }

    private <T> CompletableFuture<T> change(String name, Callable<T> change) {
        if (!changing.compareAndSet(false, true)) {
            return CompletableFuture.failedFuture(new ConflictException(
                    "another model or version is being loaded or unloaded, and " + name + " has to wait: ask again when"
                            + " that is done",
                    null));
        }
        return Background.call("paritas-serving-load", change).whenComplete((done, failure) -> changing.set(false));
    }

    static void await(CompletableFuture<Void> done) throws InterruptedException {
        try {
            done.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Error fault) { // such as a class that is missing: no conflict
                throw fault;
            }
            throw new ConflictException(e.getCause().getMessage(), e);
        }
    }

    private void deploy(ServingPlan plan) throws InterruptedException {
        if (!deployment.hasRoomFor(plan)) {
            throw new ConflictException(
                    plan.served() + " takes " + plan.slots() + " slots, and there are not so many free: unload another"
                            + " model, give the application more cores or executors, or serve fewer instances",
                    null);
        }
        deployment.deploy(plan);
        try {
            deployment.awaitReady(plan, limit);
        } catch (IllegalStateException e) {
            await(deployment.remove(plan.served()));
            throw new ConflictException(e.getMessage(), e);
        }
    }

    private ServingPlan planned(String name, Loaded former, Map<String, String> parameters) {
        try {
            ServingPlan next = next(name, former, parameters);
            refused.remove(name);
            return next;
        } catch (ModelException e) {
            if (!parameters.containsKey(MODEL)) { // with it, the folder's model is not the one that failed
                refused.put(name, e.getMessage());
            }
            throw e;
        }
    }

    private ServingPlan next(String name, Loaded former, Map<String, String> parameters) {
        Optional<ModelFolder.Entry> entry =
                parameters.containsKey(MODEL) ? Optional.empty() : folder().flatMap(folder -> folder.entry(name));
        if (entry.isPresent()) {
            parameters.forEach(Versions::require);
            return next(entry.get(), former, parameters);
        }
        if (former != null) {
            return next(former.plan, parameters);
        }
        if (!parameters.containsKey(MODEL)) {
            throw unknown(name, ": name its file with the parameter 'model'");
        }
        return added(conf, name, parameters);
    }

    /** The plan of one more model, which is not in the folder. */
    static ServingPlan added(SparkConf conf, String name, Map<String, String> parameters) {
        parameters.forEach(Versions::require);
        SparkConf settings = conf.clone().set(ServingSettings.NAME.key(), name);
        OF_ONE_MODEL.forEach(setting -> settings.remove(setting.key()));
        return ServingPlan.of(with(parameters, settings));
    }

    /**
     * The plan of a model in the folder; the former one if its number is that of the version which is served. Parity or backup models that
     * the load of that version has named are its own until a load names others.
     */
    private ServingPlan next(ModelFolder.Entry entry, Loaded former, Map<String, String> parameters) {
        if (former == null) {
            return ServingPlan.of(with(parameters, FolderSettings.of(conf, entry)));
        }
        String version = former.plan.served().version();
        if (entry.version().equals(Optional.of(version))) {
            SparkConf same = with(former.parameters, FolderSettings.of(conf, entry, version));
            with(parameters, same)
                    .set(ServingSettings.MODEL.key(), entry.model().toString());
            requireServed(ServingPlan.of(same), former.plan, entry);
            return former.plan;
        }
        String next = entry.version().orElseGet(() -> after(version, parameters));
        return successor(former.plan, with(parameters, FolderSettings.of(conf, entry, next)));
    }

    private static void requireServed(ServingPlan same, ServingPlan former, ModelFolder.Entry entry) {
        if (!hashes(same).equals(hashes(former))) {
            throw new ConflictException(
                    "the folder of a new version must have another number than " + former.served()
                            + ", got other files: rename " + entry.model().getParent() + " to a higher number",
                    null);
        }
    }

    private static Map<Role, String> hashes(ServingPlan plan) {
        return plan.files().entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, file -> file.getValue()
                .sha256()));
    }

    private static SparkConf with(Map<String, String> parameters, SparkConf settings) {
        parameters.forEach((name, value) -> settings.set(PARAMETERS.get(name).key(), value));
        return settings;
    }

    private UnknownModelException unknown(String name, String advice) {
        Set<String> names = new TreeSet<>(current.keySet());
        names.addAll(troubles().keySet());
        return new UnknownModelException("there is no model '" + name + "', there are " + names + advice);
    }

    /** The plan of the version after another, by the settings of that one. */
    static ServingPlan next(ServingPlan former, Map<String, String> parameters) {
        parameters.forEach(Versions::require);
        if (!parameters.containsKey(MODEL)) {
            throw new IllegalArgumentException("a load must have the parameter 'model', the path of the new model");
        }
        SparkConf settings = new SparkConf(false);
        former.settings().forEach(settings::set);
        settings.remove(CodedSettings.PARITY.key()); // they belong to the former model
        settings.set(ServingSettings.VERSION.key(), after(former.served().version(), parameters));
        return successor(former, with(parameters, settings));
    }

    private static ServingPlan successor(ServingPlan former, SparkConf settings) {
        if (former.served().policy() instanceof Policy.Coded) { // which it stays: it must have parity models then
            Path model = Path.of(settings.get(ServingSettings.MODEL.key()));
            settings.setIfMissing(
                    CodedSettings.PARITY.key(),
                    model.toAbsolutePath().resolveSibling("").toString());
        }
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
