/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryTest {
    @TempDir
    private Path root;

    @Test
    void takesWhatTheMachineHas() throws IOException {
        write("proc/meminfo", "MemTotal:       24684096 kB\nMemFree:  1 kB\nMemAvailable:    3000 kB\n");
        assertThat(Memory.under(root).available()).hasValue(3000L << 10);
    }

    @Test
    void takesTheLimitOfTheControlGroupWithoutWhatItCanDrop() throws IOException {
        write("proc/meminfo", "MemAvailable:    3000000 kB\n");
        write("sys/fs/cgroup/memory.max", "1000\n");
        write("sys/fs/cgroup/memory.current", "700\n");
        write("sys/fs/cgroup/memory.stat", "anon 1\ninactive_file 50\nactive_file 7\n");
        assertThat(Memory.under(root).available()).hasValue(350);
    }

    @Test
    void readsTheOlderControlGroups() throws IOException {
        write("sys/fs/cgroup/memory/memory.limit_in_bytes", "1000\n");
        write("sys/fs/cgroup/memory/memory.usage_in_bytes", "700\n");
        assertThat(Memory.under(root).available()).hasValue(300);
    }

    @Test
    void takesNoLimitForNone() throws IOException {
        write("sys/fs/cgroup/memory.max", "max\n");
        write("sys/fs/cgroup/memory.current", "700\n");
        assertThat(Memory.under(root).available()).isEmpty();
    }

    @Test
    void choosesTheLargestPolicyThatFits() {
        assertThat(having(Memory.needed(Policy.RS_6_3)).choose(Optional.empty()))
                .isEqualTo(Policy.RS_6_3);
        assertThat(having(Memory.needed(Policy.RS_6_3) - 1).choose(Optional.empty()))
                .isEqualTo(Policy.RS_3_2);
        assertThat(new Memory(OptionalLong.empty()).choose(Optional.empty())).isEqualTo(Policy.RS_6_3);
    }

    @Test
    void refusesWhatTakesMore() {
        having(3L << 20).require("A cluster", 3L << 20);
        new Memory(OptionalLong.empty()).require("A cluster", 3L << 20);
        assertThatThrownBy(() -> having(2L << 20).require("A cluster", 3L << 20))
                .isInstanceOf(CheckFailed.class)
                .hasMessage("A cluster takes 3 MiB of memory; 2 MiB are available."
                        + " Stop other programs or raise the memory limit");
    }

    @Test
    void keepsToThePolicyAskedFor() {
        assertThat(having(Long.MAX_VALUE).choose(Optional.of(Policy.RS_3_2))).isEqualTo(Policy.RS_3_2);
        assertThatThrownBy(() -> having(2000L << 20).choose(Optional.of(Policy.RS_6_3)))
                .isInstanceOf(CheckFailed.class)
                .hasMessage("RS-6-3-1024k takes 10 processes and 2944 MiB of memory; 2000 MiB are available. Stop other"
                        + " programs or raise the memory limit, or take a smaller one: --policy RS-3-2-1024k");
    }

    @Test
    void saysWhenThereIsTooLittleForAny() {
        assertThatThrownBy(() -> having(100L << 20).choose(Optional.empty()))
                .isInstanceOf(CheckFailed.class)
                .hasMessage("RS-3-2-1024k takes 6 processes and 1920 MiB of memory; 100 MiB are available. Stop other"
                        + " programs or raise the memory limit");
    }

    private static Memory having(long bytes) {
        return new Memory(OptionalLong.of(bytes));
    }

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }
}
