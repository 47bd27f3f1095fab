/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import java.util.List;

/**
 * The conversion of bytes to a model's floats, for each channel: (byte / 255 − mean) / deviation, in float arithmetic as
 * torchvision's ToTensor and Normalize.
 *
 * @param mean mean of each channel, of values between 0 and 1; empty for 0 in every channel
 * @param deviation standard deviation of each channel, above 0; empty, as the mean, for 1 in every channel
 */
public record Normalization(List<Float> mean, List<Float> deviation) {

    /** Conversion to values between 0 and 1, for any number of channels. */
    public static final Normalization NONE = new Normalization(List.of(), List.of());

    /** For CIFAR-10 and CIFAR-100 (thesis, chapters 7 to 9). */
    public static final Normalization CIFAR10 =
            new Normalization(List.of(0.4914f, 0.4822f, 0.4465f), List.of(0.2023f, 0.1994f, 0.2010f));

    /** Checks that both lists have a value for each channel. */
    public Normalization {
        mean = List.copyOf(mean);
        deviation = List.copyOf(deviation);
        boolean positive = deviation.stream().allMatch(d -> d > 0);
        if (mean.size() != deviation.size() || !positive) {
            throw new IllegalArgumentException(
                    "a normalization must have a mean and a deviation above 0 for each channel, got " + mean + " and "
                            + deviation);
        }
    }

    /** Writes one image into an array, from an offset on. */
    void apply(byte[] chw, int channels, float[] dst, int offset) {
        checkChannels(channels);
        int plane = chw.length / channels;
        for (int c = 0; c < channels; c++) {
            float m = mean.isEmpty() ? 0 : mean.get(c);
            float d = deviation.isEmpty() ? 1 : deviation.get(c);
            for (int i = c * plane; i < (c + 1) * plane; i++) {
                dst[offset + i] = ((chw[i] & 0xFF) / 255f - m) / d;
            }
        }
    }

    private void checkChannels(int channels) {
        if (!mean.isEmpty() && mean.size() != channels) {
            throw new IllegalArgumentException("images must have the " + mean.size()
                    + " channels of this normalization, got " + channels + ": use another, or Normalization.NONE");
        }
    }
}
