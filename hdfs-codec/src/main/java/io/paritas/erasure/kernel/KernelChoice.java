/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import io.paritas.erasure.kernel.machine.MachineCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The choice of this JVM's kernels, made once. A kernel chosen by name fails if it cannot run. {@code auto} takes the first
 * that can run, with an accelerator beside it where there is one.
 *
 * @param provider compiles the kernels
 * @param reason why this provider was chosen, in a few words
 * @param passedOver the faster providers that cannot run here, and what to do about it; empty if there is none
 * @param unaccelerated why no accelerator of those on the class path runs beside it; empty if one does, or there is none
 */
public record KernelChoice(
        KernelProvider provider, String reason, Optional<String> passedOver, Optional<String> unaccelerated) {
    private static final String AUTO = "auto";
    private static final String FASTEST = "the fastest that this JVM can run";

    private static KernelChoice current;
    private static boolean announced;

    /**
     * Returns the choice of this JVM, by the system property {@code io.paritas.kernel}.
     *
     * @throws IllegalStateException if the property names a kernel that is unknown or cannot run here
     */
    public static synchronized KernelChoice current() {
        if (current == null) {
            current = named(KernelSettings.KERNEL.get());
        }
        return current;
    }

    /** Returns {@link #current()}, and logs it at the first call. For callers without a logger of their own. */
    public static synchronized KernelChoice announced() {
        KernelChoice choice = current();
        if (!announced) {
            announced = true;
            System.Logger log = System.getLogger(KernelChoice.class.getName());
            log.log(System.Logger.Level.INFO, "Paritas: " + choice.sentence());
            choice.passedOver.ifPresent(advice -> log.log(System.Logger.Level.WARNING, advice));
            choice.unaccelerated.ifPresent(refusal -> log.log(System.Logger.Level.DEBUG, refusal));
        }
        return choice;
    }

    /**
     * Returns the choice for a value of the property.
     *
     * @throws IllegalStateException if the kernel is unknown or cannot run here
     */
    public static KernelChoice named(String requested) {
        return of(requested, builtIn(requested));
    }

    /** Returns why this JVM cannot use vectors of Java, and what to do; empty if it can, whichever kernel runs. */
    public static Optional<String> vectorsUnavailable() {
        return new VectorKernelProvider().unavailable();
    }

    /** Machine code is passed over in silence by {@code auto} where no flag would make it the fastest. */
    private static List<KernelProvider> builtIn(String requested) {
        KernelProvider vector = new VectorKernelProvider();
        KernelProvider plain = new PlainKernelProvider();
        if (requested.equals(AUTO) && !MachineCode.isFastest()) {
            return List.of(vector, plain);
        }
        KernelProvider fallback = vector.unavailable().isEmpty() ? vector : plain;
        return List.of(new MachineKernelProvider(fallback), vector, plain);
    }

    /** @param builtIn the providers that {@code auto} chooses from, fastest first; the last one can always run */
    static KernelChoice of(String requested, List<KernelProvider> builtIn) {
        return of(requested, builtIn, Others::load);
    }

    /** @param others the providers of other modules */
    static KernelChoice of(String requested, List<KernelProvider> builtIn, Supplier<Others> others) {
        return requested.equals(AUTO) ? automatic(builtIn, others) : explicit(requested, builtIn, others);
    }

    private static KernelChoice automatic(List<KernelProvider> builtIn, Supplier<Others> others) {
        List<String> advice = new ArrayList<>();
        for (KernelProvider provider : builtIn) {
            Optional<String> refusal = provider.unavailable();
            if (refusal.isEmpty()) {
                return accelerated(provider, others.get().providers, sentence(advice));
            }
            advice.add("the " + provider.name() + " kernel would be faster, but " + refusal.get());
        }
        throw new IllegalStateException("no kernel can run: " + sentence(advice).orElse(""));
    }

    private static Optional<String> sentence(List<String> advice) {
        return advice.isEmpty() ? Optional.empty() : Optional.of(String.join("; and ", advice));
    }

    /** The provider with the first accelerator that can run here beside it, or alone. */
    private static KernelChoice accelerated(
            KernelProvider provider, List<KernelProvider> others, Optional<String> passedOver) {
        List<String> refusals = new ArrayList<>();
        for (KernelProvider other : others) {
            if (other.accelerates()) {
                Optional<String> refusal = other.unavailable();
                if (refusal.isEmpty()) {
                    return new KernelChoice(
                            new AcceleratedKernelProvider(provider, other), FASTEST, passedOver, Optional.empty());
                }
                refusals.add("no " + other.name() + " beside it: " + refusal.get());
            }
        }
        return new KernelChoice(provider, FASTEST, passedOver, sentence(refusals));
    }

    private static KernelChoice explicit(String requested, List<KernelProvider> builtIn, Supplier<Others> others) {
        List<KernelProvider> known = new ArrayList<>(builtIn);
        Others more = others.get();
        known.addAll(more.providers);
        KernelProvider provider = known.stream()
                .filter(candidate -> candidate.name().equals(requested))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(KernelSettings.KERNEL.refusal(
                                "one of " + AUTO + ", "
                                        + known.stream()
                                                .map(KernelProvider::name)
                                                .collect(Collectors.joining(", ")),
                                requested)
                        + (more.broken.isEmpty() ? "" : "; providers that failed to load: " + more.broken)));
        provider.unavailable().ifPresent(refusal -> {
            throw new IllegalStateException(
                    "the kernel '" + requested + "' was asked for by " + KernelSettings.KERNEL.key() + ", but "
                            + refusal + "; or leave the choice to " + KernelSettings.KERNEL.key() + "=" + AUTO);
        });
        return new KernelChoice(
                provider, "asked for by " + KernelSettings.KERNEL.key(), Optional.empty(), Optional.empty());
    }

    /**
     * The providers of other modules.
     *
     * @param broken errors of those that could not be loaded
     */
    record Others(List<KernelProvider> providers, List<String> broken) {
        private static Others load() {
            Others others = new Others(new ArrayList<>(), new ArrayList<>());
            var loader = ServiceLoader.load(KernelProvider.class, KernelProvider.class.getClassLoader())
                    .iterator();
            while (true) {
                try {
                    if (!loader.hasNext()) {
                        return others;
                    }
                    others.providers.add(loader.next());
                } catch (ServiceConfigurationError | LinkageError e) {
                    others.broken.add(e.toString());
                }
            }
        }
    }

    /** Whether a program's kernel is much faster on direct buffers than on arrays, which machine code on Java 17 and 21 has to copy. */
    public boolean prefersDirectBuffers(Program program) {
        KernelProvider cpu = provider instanceof AcceleratedKernelProvider both ? both.cpu() : provider;
        return cpu instanceof MachineKernelProvider machine
                && !MachineCode.takesArrays()
                && machine.compilesCode(program);
    }

    /** Describes the kernel and the reason of the choice, for logs. */
    public String sentence() {
        return "kernel " + provider.name() + " (" + provider.description() + "), " + reason;
    }
}
