/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The instruction sets of the processor, as Linux names them in {@code /proc/cpuinfo}. Linux leaves out those whose registers it
 * does not save. To ask the processor itself would take native calls, which cost a tenth of a second at the start of a JVM.
 *
 * @param cores what it has
 * @param flags names such as {@code avx2}; the empty one alone where Linux tells nothing
 */
record Cpu(Cores cores, Set<String> flags) {
    private static final Path INFO = Path.of("/proc/cpuinfo");
    private static final String SINCE_GOLDEN_COVE = "avx512_fp16";
    private static final Set<String> AVX512 = Set.of("avx512f", "avx512dq", "avx512bw", "avx512vl");

    /** This machine's first processor; nothing if Linux does not tell. */
    static Cpu read() {
        List<String> lines = new ArrayList<>();
        try (BufferedReader info = Files.newBufferedReader(INFO)) {
            String line = info.readLine();
            while (line != null && !line.isEmpty()) {
                lines.add(line);
                line = info.readLine();
            }
        } catch (IOException e) {
            lines.clear();
        }
        return parse(lines);
    }

    /** @param lines what Linux says of one processor */
    static Cpu parse(List<String> lines) {
        // So does Linux name them on x86-64, and on AArch64.
        String names = value(lines, "flags") + ' ' + value(lines, "Features");
        Set<String> flags = Set.copyOf(List.of(names.strip().split("\\s+")));
        if (!value(lines, "vendor_id").equals("GenuineIntel")) {
            return new Cpu(Cores.OTHER, flags);
        }
        return new Cpu(flags.contains(SINCE_GOLDEN_COVE) ? Cores.GOLDEN_COVE : Cores.INTEL, flags);
    }

    private static String value(List<String> lines, String key) {
        for (String line : lines) {
            if (line.startsWith(key)) {
                return line.substring(line.indexOf(':') + 1).strip();
            }
        }
        return "";
    }

    /** Whether code of this tier runs here. */
    boolean runs(Tier tier) {
        return switch (tier) {
            case AVX512_GFNI -> flags.containsAll(AVX512) && flags.contains("gfni");
            case AVX2_GFNI -> flags.contains("avx2") && flags.contains("gfni");
            case AVX512 -> flags.containsAll(AVX512);
            case AVX2 -> flags.contains("avx2");
            case NEON_SHA3 -> flags.contains("asimd") && flags.contains("sha3");
            case NEON -> flags.contains("asimd");
        };
    }

    /** Returns why no code runs here, and what to do; only asked where none does. */
    String refusal() {
        return flags.contains("")
                ? INFO + " names no instruction sets, so that nothing is known of the processor; make it readable"
                : "the processor has no AVX2";
    }

    /** The best tier that runs here, on such cores. */
    Optional<Target> best() {
        for (Tier tier : Tier.values()) {
            if (runs(tier)) {
                return Optional.of(new Target(tier, cores));
            }
        }
        return Optional.empty();
    }
}
