/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

/** Every system property of this module; {@code docs/configuration.md} is made from it. */
enum Setting {
    KERNEL(
            "io.paritas.kernel",
            "auto",
            "name",
            "The kernel that codes run on: `auto` (the fastest that this JVM can run), `plain`, `vector`, or the name of"
                    + " a provider on the class path. A name that cannot run fails; `auto` falls back.");

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
        return System.getProperty(key, defaultValue);
    }
}
