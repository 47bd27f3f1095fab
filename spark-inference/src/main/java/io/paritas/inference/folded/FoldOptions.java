/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.folded;

import io.paritas.PublicApi;

/**
 * How to fold a network.
 *
 * @param fold images in a stack, f; 1 leaves the network as it is
 * @param multiplier factor for the channels inside the network; √f keeps the operations of an image about the same
 * @param rounding rounding of these channels
 */
@PublicApi
public record FoldOptions(int fold, double multiplier, Rounding rounding) {

    /** Rounding of channel counts. It depends on the original count only, so equal counts stay equal. */
    public enum Rounding {
        /** Down, as published (thesis, 9.4). */
        FLOOR,
        /**
         * To the nearest multiple of 8, and at least 8. GPUs compute in tiles, and with 90 channels the last tile is partly empty,
         * which made a published fold slower than the original (thesis, 9.5.2).
         */
        TILES
    }

    private static final int TILE = 8;

    /** Checks the numbers. */
    public FoldOptions {
        if (fold < 1) {
            throw new IllegalArgumentException("a fold must be at least 1, got " + fold);
        }
        if (!(multiplier > 0) || Double.isInfinite(multiplier)) {
            throw new IllegalArgumentException("the multiplier of channels must be above 0, got " + multiplier);
        }
    }

    /** As published: channels times √f, rounded down. */
    public static FoldOptions of(int fold) {
        return new FoldOptions(fold, Math.sqrt(fold), Rounding.FLOOR);
    }

    /** These options with another factor for the channels. */
    public FoldOptions withMultiplier(double channels) {
        return new FoldOptions(fold, channels, rounding);
    }

    /** These options with another rounding of channels. */
    public FoldOptions withRounding(Rounding other) {
        return new FoldOptions(fold, multiplier, other);
    }

    /** Whether the folded network is the original. */
    boolean unchanged() {
        return fold == 1 && multiplier == 1;
    }

    /** The folded count of channels inside the network, divisible by the divisor. */
    int channels(int original, int divisor) {
        double wanted = original * multiplier;
        int unit = rounding == Rounding.TILES ? lcm(TILE, divisor) : divisor;
        if (wanted > Integer.MAX_VALUE - unit) {
            throw new IllegalArgumentException("a layer cannot have " + multiplier + " times " + original
                    + " channels: take a smaller multiplier of channels");
        }
        int units = rounding == Rounding.TILES ? (int) Math.round(wanted / unit) : (int) (wanted / unit);
        return Math.max(1, units) * unit;
    }

    static int lcm(int a, int b) {
        int x = a;
        int y = b;
        while (y != 0) {
            int rest = x % y;
            x = y;
            y = rest;
        }
        return Math.multiplyExact(a / x, b);
    }
}
