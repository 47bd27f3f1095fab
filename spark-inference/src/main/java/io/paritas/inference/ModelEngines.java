/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import io.paritas.PublicApi;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engines on the class path, and the choice among them. An engine asked for by name loads the model or fails; {@code auto}
 * takes the first that reads the format, runs on the device and runs what the model consists of. Thread-safe.
 */
@PublicApi
public final class ModelEngines {
    private static final String AUTO = "auto";
    private static final String FIRST = "onnxruntime";

    /** What was said about engines that cannot run here. */
    private static final Set<String> TOLD = ConcurrentHashMap.newKeySet();

    /**
     * The engines on the class path.
     *
     * @param engines those that could be created, in the order in which {@code auto} asks them
     * @param broken one sentence for each that could not be created
     */
    record Found(List<ModelEngine> engines, List<String> broken) {
        Found {
            Comparator<ModelEngine> first = Comparator.comparing(engine -> !engine.needsGpu());
            engines = engines.stream()
                    .sorted(first.thenComparing(engine -> !engine.name().equals(FIRST))
                            .thenComparing(ModelEngine::name))
                    .toList();
        }

        /** The others, and why this one does not run a model. */
        Found without(ModelEngine engine, String reason) {
            List<String> reasons = new ArrayList<>(broken);
            reasons.add(engine.name() + ": " + reason);
            return new Found(
                    engines.stream().filter(other -> !other.equals(engine)).toList(), reasons);
        }
    }

    private ModelEngines() {}

    /**
     * The engines on the class path, in the order in which {@code auto} asks them: those that need a GPU, onnxruntime, then by name.
     */
    public static List<ModelEngine> all() {
        return find().engines();
    }

    /**
     * Loads a model with the engine that the options name.
     *
     * @throws ModelException if no engine has that name, reads the format and runs on the device (the message has every engine's
     *     reason), the engine refuses the file, or the model's input has another shape than the options say
     */
    public static Model load(ModelFile file, ModelOptions options) {
        Model model = load(file, options, find());
        if (!options.inputShape().isEmpty()
                && !options.inputShape().equals(model.input().shape())) {
            model.close();
            throw new ModelException("the model takes " + model.input() + ", the options say " + options.inputShape()
                    + ": leave out the input shape, this model needs none");
        }
        return model;
    }

    /**
     * The options by which a machine that may lack the device, as a driver does, can load a model to learn what it is: on the CPU, by
     * another engine if the one that is wanted runs on GPUs only. That a GPU protects the model does not mean that a CPU can.
     *
     * @throws ModelException if no GPU protects as asked
     */
    public static ModelOptions onCpu(ModelOptions options) {
        ModelOptions cpu = options.withDevice(Device.CPU);
        if (!isForGpus(options)) {
            return cpu;
        }
        if (options.protection().mode() == Protection.Mode.WEIGHTED) {
            throw new ModelException("GPUs protect by global, thread or guided, weighted was asked for: choose another,"
                    + " or the engine 'protected' on the CPU");
        }
        return cpu.withEngine(AUTO).withProtection(Protection.OFF);
    }

    private static boolean isForGpus(ModelOptions options) {
        if (options.engine().equals(AUTO)) {
            return options.device() == Device.CUDA;
        }
        return options.device() != Device.CPU
                && find().engines().stream()
                        .filter(engine -> engine.name().equals(options.engine()))
                        .anyMatch(engine -> engine.unavailable(Device.CPU).isPresent());
    }

    /**
     * With {@code auto}, an engine that does not run what the model consists of leaves it to the next one. So does one that needs a GPU
     * and fails, if the device is {@code auto}, too; but a lost device is nothing to go on after.
     */
    static Model load(ModelFile file, ModelOptions options, Found found) {
        if (options.gpu().equals(GpuChoice.NONE)) {
            return load(file, options.withDevice(Device.CPU).withGpu(GpuChoice.ANY), found);
        }
        ModelEngine engine = choose(file.format(), options, found);
        try {
            return engine.load(file, options);
        } catch (DeviceLostException e) {
            throw e;
        } catch (ModelException e) {
            boolean leaves =
                    e instanceof UnsupportedModelException || (engine.needsGpu() && options.device() == Device.AUTO);
            if (!leaves
                    || !options.engine().equals(AUTO)
                    || options.protection().isOn()) {
                throw e;
            }
            Logger log = LoggerFactory.getLogger(ModelEngines.class);
            if (e instanceof UnsupportedModelException) {
                log.info("Paritas: another engine than {} is asked: {}", engine.name(), e.getMessage());
            } else {
                log.warn(
                        "Paritas: the model runs without the engine {}, until it is loaded again: {}",
                        engine.name(),
                        e.getMessage());
            }
            return load(file, options, found.without(engine, e.getMessage()));
        }
    }

    static ModelEngine choose(ModelFormat format, ModelOptions options, Found found) {
        Found able = options.protection().isOn() ? checking(options, found) : found;
        return options.engine().equals(AUTO) ? automatic(format, options, able) : explicit(format, options, able);
    }

    /** The engines that check what they compute; with the choice of engine and device left to us, those on the CPU. */
    private static Found checking(ModelOptions options, Found found) {
        List<String> able = found.engines().stream()
                .filter(ModelEngine::checks)
                .map(ModelEngine::name)
                .toList();
        boolean isKnown =
                found.engines().stream().anyMatch(engine -> engine.name().equals(options.engine()));
        if (isKnown && !able.contains(options.engine())) {
            throw new ModelException("the engines that check what they compute are " + able + ", '" + options.engine()
                    + "' was asked for: leave the engine to '" + AUTO + "', or the protection out");
        }
        boolean free = options.engine().equals(AUTO) && options.device() == Device.AUTO;
        return new Found(
                found.engines().stream()
                        .filter(engine -> able.contains(engine.name()))
                        .filter(engine ->
                                !free || engine.unavailable(Device.CPU).isEmpty())
                        .toList(),
                found.broken());
    }

    private static ModelEngine automatic(ModelFormat format, ModelOptions options, Found found) {
        List<String> refusals = new ArrayList<>();
        for (ModelEngine engine : found.engines()) {
            Optional<String> refusal = refusal(engine, format, options.device());
            if (refusal.isEmpty()) {
                return engine;
            }
            refusals.add(engine.name() + ": " + refusal.get());
            if (engine.needsGpu() && engine.formats().contains(format) && options.device() == Device.AUTO) {
                tellOnce(engine.name(), refusal.get());
            }
        }
        refusals.addAll(found.broken());
        throw new ModelException("no engine can load a model in the format " + format + " for the device "
                + options.device() + " here: " + (refusals.isEmpty() ? "there is none" : String.join("; ", refusals)));
    }

    /** Whoever has put an engine for GPUs on the class path may wonder why none computes. */
    private static void tellOnce(String engine, String refusal) {
        if (TOLD.add(engine + refusal)) {
            LoggerFactory.getLogger(ModelEngines.class)
                    .info("Paritas: the engine {} is passed over, and models run on the CPU: {}", engine, refusal);
        }
    }

    private static ModelEngine explicit(ModelFormat format, ModelOptions options, Found found) {
        ModelEngine engine = found.engines().stream()
                .filter(candidate -> candidate.name().equals(options.engine()))
                .findFirst()
                .orElseThrow(() -> new ModelException("the engine is one of " + AUTO
                        + found.engines().stream()
                                .map(known -> ", " + known.name())
                                .collect(Collectors.joining())
                        + "; got '" + options.engine() + "'"
                        + (found.broken().isEmpty() ? "" : "; engines that failed to load: " + found.broken())));
        refusal(engine, format, options.device()).ifPresent(refusal -> {
            throw new ModelException("the engine '" + options.engine() + "' was asked for, but " + refusal
                    + "; or leave the choice to '" + AUTO + "'");
        });
        return engine;
    }

    private static Optional<String> refusal(ModelEngine engine, ModelFormat format, Device device) {
        if (!engine.formats().contains(format)) {
            return Optional.of("it reads " + engine.formats() + ", the model is " + format);
        }
        try {
            return engine.unavailable(device);
        } catch (LinkageError e) {
            return Optional.of("its library cannot be loaded: " + e);
        }
    }

    /** Goes on after engines that cannot be loaded, and reports them. */
    private static Found find() {
        List<ModelEngine> engines = new ArrayList<>();
        List<String> broken = new ArrayList<>();
        var found = ServiceLoader.load(ModelEngine.class, ModelEngine.class.getClassLoader())
                .iterator();
        while (true) {
            try {
                if (!found.hasNext()) {
                    return new Found(engines, broken);
                }
                engines.add(found.next());
            } catch (ServiceConfigurationError | LinkageError e) {
                broken.add(e.toString());
            }
        }
    }
}
