/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

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
 * @param cores what it has
 * @param flags names such as {@code avx2}
 */
record Cpu(Cores cores, Set<String> flags) {
    private static final Path INFO = Path.of("/proc/cpuinfo");
    private static final String SINCE_GOLDEN_COVE = "avx512_fp16";
    private static final Set<String> AVX512 = Set.of("avx512f", "avx512dq", "avx512bw", "avx512vl");

    /** This machine's first processor; nothing if Linux does not tell. */
    static Cpu read() {
        try (var lines = Files.lines(INFO)) {
            return parse(lines.takeWhile(line -> !line.isEmpty()).toList());
        } catch (IOException e) {
            return parse(List.of());
        }
    }

    /** @param lines what Linux says of one processor */
    static Cpu parse(List<String> lines) {
        Set<String> flags = Set.copyOf(List.of(value(lines, "flags").split("\\s+")));
        if (!value(lines, "vendor_id").equals("GenuineIntel")) {
            return new Cpu(Cores.OTHER, flags);
        }
        return new Cpu(flags.contains(SINCE_GOLDEN_COVE) ? Cores.GOLDEN_COVE : Cores.INTEL, flags);
    }

    private static String value(List<String> lines, String key) {
        return lines.stream()
                .filter(line -> line.startsWith(key))
                .findFirst()
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .orElse("");
    }

    /** Whether code of this tier runs here. */
    boolean runs(Tier tier) {
        boolean hasVectors = tier.width == Width.BITS_512 ? flags.containsAll(AVX512) : flags.contains("avx2");
        return hasVectors && (!tier.hasProducts || flags.contains("gfni"));
    }

    /** The best tier that runs here, on such cores. */
    Optional<Target> best() {
        return Arrays.stream(Tier.values()).filter(this::runs).findFirst().map(tier -> new Target(tier, cores));
    }
}
