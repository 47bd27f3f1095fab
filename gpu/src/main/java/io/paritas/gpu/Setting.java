/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

/** Every system property of this module; {@code docs/configuration.md} is made from it. */
enum Setting {
    DEVICE(
            "io.paritas.gpu.device",
            "0",
            "number",
            "The GPU that is used, among those that the process can see (CUDA_VISIBLE_DEVICES). One for each JVM."),
    STAGING(
            "io.paritas.gpu.staging",
            "16",
            "MiB",
            "The page-locked memory of each transfer between host and GPU, half of it for each of two chunks: while one is"
                    + " computed, the other is filled. As much memory is taken on the GPU. At most 8 transfers run at a"
                    + " time.");

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

    int intValue() {
        String value = System.getProperty(key, defaultValue);
        try {
            int number = Integer.parseInt(value);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new IllegalStateException(complaint(value), e);
        }
        throw new IllegalStateException(complaint(value));
    }

    private String complaint(String value) {
        return key + " is a whole number" + (unit.equals("number") ? "" : " of " + unit) + ", 0 or more; got '" + value
                + "'";
    }
}
