/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paritas.erasure.kernel.machine.MachineCode;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class KernelChoiceTest {
    private record Provider(String name, Optional<String> unavailable) implements KernelProvider {
        @Override
        public String description() {
            return "test";
        }

        @Override
        public Kernel compile(Program program) {
            throw new UnsupportedOperationException();
        }
    }

    private static final Provider FAST = new Provider("fast", Optional.of("the moon is not full; wait"));
    private static final Provider SLOW = new Provider("slow", Optional.empty());

    /** The build says which kernel each of its runs is for; a silent fallback fails here. */
    @Test
    void theExpectedKernelRuns() {
        String expected = System.getProperty("io.paritas.test.expectKernel");
        if (expected != null) {
            assumeTrue(
                    !expected.equals("machine") || MachineCode.isFastest(),
                    "skipped: for Linux on amd64 with AVX2 or on aarch64");
            assertThat(KernelChoice.current().provider().name()).isEqualTo(expected);
        }
    }

    @Test
    void autoFallsBackAndSaysWhy() {
        KernelChoice choice = KernelChoice.of("auto", List.of(FAST, SLOW));
        assertThat(choice.provider()).isSameAs(SLOW);
        assertThat(choice.sentence()).isEqualTo("kernel slow (test), the fastest that this JVM can run");
        assertThat(choice.passedOver()).contains("the fast kernel would be faster, but the moon is not full; wait");
    }

    @Test
    void autoTakesTheFirstThatRuns() {
        KernelChoice choice = KernelChoice.of("auto", List.of(SLOW, FAST));
        assertThat(choice.provider()).isSameAs(SLOW);
        assertThat(choice.passedOver()).isEmpty();
    }

    private record Accelerator(String name, Optional<String> unavailable) implements KernelProvider {
        @Override
        public String description() {
            return "test GPU";
        }

        @Override
        public boolean accelerates() {
            return true;
        }

        @Override
        public Kernel compile(Program program) {
            throw new UnsupportedOperationException();
        }
    }

    private static KernelChoice automatic(KernelProvider... others) {
        return KernelChoice.of("auto", List.of(FAST, SLOW), () -> new KernelChoice.Others(List.of(others), List.of()));
    }

    @Test
    void autoTriesAnAcceleratorBesideTheCpu() {
        KernelChoice choice = automatic(SLOW, new Accelerator("gpu", Optional.empty()));
        assertThat(choice.sentence())
                .isEqualTo("kernel slow (test, and gpu on test GPU where that turns out to be faster),"
                        + " the fastest that this JVM can run");
        assertThat(choice.provider().name()).isEqualTo("slow");
        assertThat(choice.passedOver()).contains("the fast kernel would be faster, but the moon is not full; wait");
    }

    @Test
    void autoSaysWhyAnAcceleratorCannotRun() {
        KernelChoice choice = automatic(new Accelerator("gpu", Optional.of("there is none; buy one")));
        assertThat(choice.provider()).isSameAs(SLOW);
        assertThat(choice.sentence()).isEqualTo("kernel slow (test), the fastest that this JVM can run");
        assertThat(choice.unaccelerated()).contains("no gpu beside it: there is none; buy one");
        KernelChoice alone = automatic(new Provider("other", Optional.empty()));
        assertThat(alone.provider()).isSameAs(SLOW);
        assertThat(alone.unaccelerated()).isEmpty();
    }

    @Test
    void anExplicitChoiceIsTakenOrFails() {
        assertThat(KernelChoice.of("slow", List.of(FAST, SLOW)).sentence())
                .isEqualTo("kernel slow (test), asked for by io.paritas.kernel");
        assertThatThrownBy(() -> KernelChoice.of("fast", List.of(FAST, SLOW)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the kernel 'fast' was asked for by io.paritas.kernel, but the moon is not full; wait;"
                        + " or leave the choice to io.paritas.kernel=auto");
        assertThatThrownBy(() -> KernelChoice.of("fsat", List.of(FAST, SLOW)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("io.paritas.kernel must be one of auto, fast, slow, got 'fsat'");
    }

    @Test
    void plainIsAlwaysThere() {
        assertThat(KernelChoice.named("plain").provider().unavailable()).isEmpty();
    }
}
