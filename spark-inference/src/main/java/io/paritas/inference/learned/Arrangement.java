/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.learned;

import io.paritas.inference.learned.CodePlan.ChannelMix;
import io.paritas.inference.torch.Tensor;

/**
 * Orders the planes of a group's k images for the encoder, which combines k planes into r. For k = 2 and
 * {@link ChannelMix#SEPARATE} it combines (R1, R2), (G1, G2), (B1, B2); for {@link ChannelMix#PUBLISHED} (R1, G1),
 * (B1, R2), (G2, B2).
 */
final class Arrangement {
    private final int channels;
    private final int height;
    private final int width;
    private final ChannelMix mix;

    Arrangement(int channels, int height, int width, ChannelMix mix) {
        this.channels = channels;
        this.height = height;
        this.width = width;
        this.mix = mix;
    }

    /** (groups · k, channels, height, width) to (groups · channels, k, height, width). */
    Tensor toPlanes(Tensor images, long k) {
        return swap(images, k, channels);
    }

    /** (groups · channels, r, height, width) to (groups · r, channels, height, width). */
    Tensor toImages(Tensor planes, long r) {
        return swap(planes, channels, r);
    }

    private Tensor swap(Tensor from, long outer, long inner) {
        long groups = from.size(0) / outer;
        Tensor ordered = mix == ChannelMix.PUBLISHED
                ? from
                : from.reshape(groups, outer, inner, (long) height * width).permute(0, 2, 1, 3);
        return ordered.reshape(groups * inner, outer, height, width);
    }
}
