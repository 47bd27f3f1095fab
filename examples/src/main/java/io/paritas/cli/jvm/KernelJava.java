/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.jvm;

import java.lang.module.ModuleFinder;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A Java that kernels run on, and the options that they need. {@code bin/paritas}, the files of {@code conf} and the pages name the same.
 *
 * @param version such as 17
 * @param modules those of {@link #VECTORS} and {@link #FOREIGN} that it has: one that jlink made may lack some
 */
public record KernelJava(int version, Set<String> modules) {
    /** The module of vectors. */
    public static final String VECTORS = "jdk.incubator.vector";
    /** What Java 17 calls machine code by. */
    public static final String FOREIGN = "jdk.incubator.foreign";
    /** The option that allows machine code, without its value. */
    public static final String NATIVE_ACCESS = "--enable-native-access";

    private static final int WITH_FOREIGN = 17;
    /** The first Java that calls machine code without a module. */
    private static final int WITHOUT_FOREIGN = 21;

    /** This one. */
    public static KernelJava running() {
        return new KernelJava(
                Runtime.version().feature(),
                Stream.of(VECTORS, FOREIGN)
                        .filter(name -> ModuleFinder.ofSystem().find(name).isPresent())
                        .collect(Collectors.toSet()));
    }

    public boolean hasVectors() {
        return modules.contains(VECTORS);
    }

    private boolean hasForeign() {
        return version == WITH_FOREIGN && modules.contains(FOREIGN);
    }

    /** The module and the option without which there is no machine code; none if this Java has none. */
    public List<String> forMachineCode() {
        if (hasForeign()) {
            return List.of(FOREIGN, NATIVE_ACCESS);
        }
        return version >= WITHOUT_FOREIGN ? List.of(NATIVE_ACCESS) : List.of();
    }

    /** The options of a JVM, as words of a command line. */
    public List<String> options() {
        List<String> options = new ArrayList<>();
        if (hasVectors()) {
            options.addAll(List.of("--add-modules", hasForeign() ? VECTORS + "," + FOREIGN : VECTORS));
        }
        options.add(NATIVE_ACCESS + "=ALL-UNNAMED");
        return options;
    }
}
