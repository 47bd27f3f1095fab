/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.learned;

import io.paritas.inference.torch.Tensor;

/**
 * How the k images of a group lie before the encoder. It works on one channel: the k red planes become r red planes, and
 * so on, so that colours stay apart. The published code instead cut the k images' planes, one behind the other, into
 * pieces of k planes: for k = 2 it encoded (R1, G1), (B1, R2), (G2, B2). For gray images both are the same.
 */
final class Arrangement {
    private final int channels;
    private final int height;
    private final int width;
    private final boolean legacyChannelMix;

    Arrangement(int channels, int height, int width, boolean legacyChannelMix) {
        this.channels = channels;
        this.height = height;
        this.width = width;
        this.legacyChannelMix = legacyChannelMix;
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
        Tensor ordered = legacyChannelMix
                ? from
                : from.reshape(groups, outer, inner, (long) height * width).permute(0, 2, 1, 3);
        return ordered.reshape(groups * inner, outer, height, width);
    }
}
