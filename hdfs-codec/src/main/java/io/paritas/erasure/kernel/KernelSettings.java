/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import io.paritas.settings.Setting;
import io.paritas.settings.SettingGroup;
import io.paritas.settings.Values;
import java.nio.file.Path;

/** The system properties of this module; {@code docs/configuration.md} is made from them. */
final class KernelSettings {
    private static final int MEBI = 20;

    static final SettingGroup GROUP = new SettingGroup("io.paritas.kernel");

    static final Setting<String> KERNEL = GROUP.jvm(
            "",
            Values.text().of("name"),
            "auto",
            "The kernel that codes run on: `auto` (the fastest that this JVM can run, and a GPU beside it where that"
                    + " turns out to be faster), `plain`, `vector`, `machine`, or the name of a provider on the class path, such as"
                    + " `cuda`. A kernel named here fails if it cannot run; `auto` falls back.");

    /** In mebibytes of input. */
    static final Setting<Integer> WARM_UP = GROUP.jvm(
            ".warmUp",
            Values.atLeast(0).of("MiB"),
            "64",
            "How much a new kernel computes in plain Java before its own code is tried, checked and compiled in"
                    + " the background (64 times as much where vectors would compute xors alone; twice as much before vectors where"
                    + " machine code is tried first). Once a JVM runs machine"
                    + " code, that of other matrices is tried after 1 MiB. 0 runs a kernel's own code at once, which is slow"
                    + " until C2 has compiled it: for benchmarks and tests.");

    static final Setting<Check> CHECK = GROUP.jvm(
            ".check",
            Values.oneOf(Check.class),
            "fold",
            "How kernels check themselves for bits that flip in the processor or on the way to a GPU: `fold` (every unit is"
                    + " folded to a few bytes on the way, which must satisfy the code's equations; a fault is an exception, an"
                    + " IOException in HDFS) or `none`.");

    static final Setting<Path> TUNING = GROUP.jvm(
            ".tuning",
            Values.file(),
            "~/.paritas/tuning.txt",
            "The file that `paritas tune` writes the fastest schedules of this machine to, and that vector kernels"
                    + " and codes of strips read them from. It need not exist.");

    private KernelSettings() {}

    static long warmUpBytes() {
        return (long) WARM_UP.get() << MEBI;
    }
}
