/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Trials on a clock that only kernels move. */
class TrialTest {
    private static final long LONGEST = Duration.ofSeconds(20).toNanos();
    private static final Program PROGRAM = Program.product(new int[][] {{1, 1}});

    private final Random random = new Random(5);
    private final Kernel plain = new PlainKernel(PROGRAM, Check.NONE);
    private long now;

    /** A right kernel that takes some microseconds, and up to a tenth more by chance. */
    private Kernel taking(LongSupplier micros) {
        return (inputs, outputs) -> {
            plain.apply(inputs, outputs);
            long nanos = 1000 * micros.getAsLong();
            now += nanos + random.nextLong(nanos / 10);
        };
    }

    private Trial.Verdict trial(Kernel incumbent, Kernel candidate) {
        return new Trial(PROGRAM, Trial.Memory.HEAP, incumbent, candidate, LONGEST, () -> now).run();
    }

    @ParameterizedTest
    @ValueSource(longs = {1050, 1100, 1200})
    void aKernelThatIsSlowerByLittleLosesSoon(long micros) {
        assertThat(trial(taking(() -> 1000), taking(() -> micros))).isEqualTo(Trial.Verdict.SLOWER);
        assertThat(Duration.ofNanos(now)).isLessThan(Duration.ofSeconds(6));
    }

    @Test
    void aKernelThatIsFasterWinsAtOnce() {
        assertThat(trial(taking(() -> 1000), taking(() -> 850))).isEqualTo(Trial.Verdict.FASTER);
        assertThat(Duration.ofNanos(now)).isLessThan(Duration.ofMillis(100));
    }

    @Test
    void aKernelThatIsCompiledLateWinsThen() {
        long compiled = Duration.ofSeconds(15).toNanos();
        assertThat(trial(taking(() -> 1000), taking(() -> now < compiled ? 50_000 : 100)))
                .isEqualTo(Trial.Verdict.FASTER);
        assertThat(now).isGreaterThan(compiled);
    }

    @Test
    void aKernelThatIsNeverCompiledLosesInTheEnd() {
        assertThat(trial(taking(() -> 1000), taking(() -> 50_000))).isEqualTo(Trial.Verdict.SLOWER);
        assertThat(now).isGreaterThan(LONGEST);
    }
}
