/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import java.util.Arrays;
import java.util.Optional;
import java.util.function.Function;

/** What code is written for. */
enum Architecture {
    X86_64("amd64", true, X86Assembler.CONVENTION, Width.BITS_256, X86Assembler::new),
    AARCH64("aarch64", false, ArmAssembler.CONVENTION, Width.BITS_128, width -> new ArmAssembler());

    private final String javaName;
    /** Whether an address may have an index and a displacement. */
    final boolean displaces;

    final Convention convention;
    private final Width narrowest;
    private final Function<Width, Assembler> assembler;

    /** @param javaName the name in {@code os.arch} */
    Architecture(
            String javaName,
            boolean displaces,
            Convention convention,
            Width narrowest,
            Function<Width, Assembler> assembler) {
        this.javaName = javaName;
        this.displaces = displaces;
        this.convention = convention;
        this.narrowest = narrowest;
        this.assembler = assembler;
    }

    /** That of this JVM, if code is written for it. */
    static Optional<Architecture> here() {
        return Arrays.stream(values())
                .filter(architecture -> architecture.javaName.equals(System.getProperty("os.arch")))
                .findFirst();
    }

    Assembler assembler(Width width) {
        return assembler.apply(width);
    }

    /** An assembler for code without vectors. */
    Assembler assembler() {
        return assembler(narrowest);
    }
}
