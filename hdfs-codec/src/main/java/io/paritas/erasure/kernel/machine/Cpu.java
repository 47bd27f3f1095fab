/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import io.paritas.erasure.kernel.machine.Assembler.Width;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The instruction sets of the processor, as Linux names them in {@code /proc/cpuinfo}. Linux leaves out those whose registers it
 * does not save. To ask the processor itself would take native calls, which cost a tenth of a second at the start of a JVM.
 *
 * @param flags names such as {@code avx2}
 */
record Cpu(Set<String> flags) {
    private static final Path INFO = Path.of("/proc/cpuinfo");
    private static final Set<String> AVX512 = Set.of("avx512f", "avx512dq", "avx512bw", "avx512vl");

    /** This machine's first processor; nothing if Linux does not tell. */
    static Cpu read() {
        try (var lines = Files.lines(INFO)) {
            return lines.filter(line -> line.startsWith("flags"))
                    .findFirst()
                    .map(Cpu::parse)
                    .orElse(new Cpu(Set.of()));
        } catch (IOException e) {
            return new Cpu(Set.of());
        }
    }

    static Cpu parse(String line) {
        return new Cpu(
                Set.copyOf(List.of(line.substring(line.indexOf(':') + 1).strip().split("\\s+"))));
    }

    /** Whether code of this tier runs here. */
    boolean runs(Tier tier) {
        boolean hasVectors = tier.width == Width.BITS_512 ? flags.containsAll(AVX512) : flags.contains("avx2");
        return hasVectors && (!tier.hasProducts || flags.contains("gfni"));
    }

    /** The best tier that runs here. */
    Optional<Tier> best() {
        return Arrays.stream(Tier.values()).filter(this::runs).findFirst();
    }
}
