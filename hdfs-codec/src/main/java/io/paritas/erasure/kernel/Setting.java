/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

/** Every system property of this module; {@code docs/configuration.md} is made from it. */
enum Setting {
    KERNEL(
            "io.paritas.kernel",
            "auto",
            "name",
            "The kernel that codes run on: `auto` (the fastest that this JVM can run, and a GPU beside it for what that"
                    + " turns out to compute faster), `plain`, `vector`, or the name of a provider on the class path, such as"
                    + " `cuda`. A name that cannot run fails; `auto` falls back."),
    WARM_UP(
            "io.paritas.kernel.warmUp",
            "64",
            "MiB",
            "How much a new vector kernel computes in plain Java before its own code is tried, checked and compiled in the"
                    + " background. 0 runs that code at once: for benchmarks and tests, because it is slow until C2 has"
                    + " compiled it."),
    CHECK(
            "io.paritas.kernel.check",
            "fold",
            "name",
            "How vector kernels check themselves for bits that flip in the processor: `fold` (every unit is folded to a few"
                    + " bytes on the way, which must satisfy the code's equations; a fault is an exception, an IOException in"
                    + " HDFS) or `none`."),
    TUNING(
            "io.paritas.kernel.tuning",
            "~/.paritas/tuning.txt",
            "path",
            "The file that `paritas tune` writes the fastest schedules of this machine to, and that vector kernels read them"
                    + " from. It need not exist.");

    final String key;
    final String defaultValue;
    final String unit;
    final String meaning;

    Setting(String key, String defaultValue, String unit, String meaning) {
        this.key = key;
        this.defaultValue = defaultValue;
        this.unit = unit;
        this.meaning = meaning;
    }

    String value() {
        String value = System.getProperty(key, defaultValue);
        return value.startsWith("~/") ? System.getProperty("user.home") + value.substring(1) : value;
    }

    long longValue() {
        try {
            return Long.parseUnsignedLong(value());
        } catch (NumberFormatException e) {
            throw new IllegalStateException(key + " is a whole number of " + unit + "; got '" + value() + "'", e);
        }
    }
}
