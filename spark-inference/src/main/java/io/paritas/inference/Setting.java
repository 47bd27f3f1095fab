/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

/** Every system property of this module; {@code docs/configuration.md} is made from it. */
enum Setting {
    POOL_MODELS(
            "io.paritas.inference.pool.models",
            "8",
            "models",
            "How many loaded models a JVM keeps for its tasks; the one that was used longest ago is closed for a new one."),
    POOL_IDLE_SECONDS(
            "io.paritas.inference.pool.idleSeconds", "600", "s", "How long a loaded model stays that no task uses.");

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

    /** Its value, a positive whole number. */
    int positive() {
        String value = System.getProperty(key, defaultValue);
        try {
            int number = Integer.parseInt(value);
            if (number > 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new IllegalStateException(key + " must be a positive whole number, got '" + value + "'", e);
        }
        throw new IllegalStateException(key + " must be a positive whole number, got '" + value + "'");
    }
}
