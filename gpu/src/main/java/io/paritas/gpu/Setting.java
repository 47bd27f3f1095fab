/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

/** Every system property of this module; {@code docs/configuration.md} is made from it. */
enum Setting {
    DEVICE(
            "io.paritas.gpu.device",
            "0",
            "number",
            0,
            1023,
            "The GPU that is used, among those that the process can see (CUDA_VISIBLE_DEVICES). One for each JVM."),
    STAGING(
            "io.paritas.gpu.staging",
            "16",
            "MiB",
            1,
            1024,
            "The page-locked memory of each transfer between host and GPU, half of it for each of two chunks: while one is"
                    + " computed, the other is filled. As much memory is taken on the GPU. At most 8 transfers run at a"
                    + " time."),
    GENERATE(
            "io.paritas.gpu.generate",
            "64",
            "MiB",
            0,
            Integer.MAX_VALUE,
            "How much the kernel `cuda` computes for a matrix with the kernel that takes any matrix, before one is generated"
                    + " for it, checked and compiled in the background. 0 generates it at once.");

    final String key;
    final String defaultValue;
    final String unit;
    private final int least;
    private final int most;
    final String meaning;

    Setting(String key, String defaultValue, String unit, int least, int most, String meaning) {
        this.key = key;
        this.defaultValue = defaultValue;
        this.unit = unit;
        this.least = least;
        this.most = most;
        this.meaning = meaning;
    }

    /** @throws IllegalStateException if it is none of the numbers that it can be */
    int intValue() {
        String value = System.getProperty(key, defaultValue);
        try {
            int number = Integer.parseInt(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new IllegalStateException(complaint(value), e);
        }
        throw new IllegalStateException(complaint(value));
    }

    private String complaint(String value) {
        return key + " is a whole number" + (unit.equals("number") ? "" : " of " + unit) + ", " + least + " to " + most
                + "; got '" + value + "'";
    }
}
