/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

/** An image in any format that the JDK reads. */
public final class PictureFuzz {
    private PictureFuzz() {}

    public static void fuzzerTestOneInput(byte[] bytes) {
        try {
            Picture.decode(bytes, "the image", 3).ifPresent(picture -> picture.resized(8, 8));
        } catch (DataException e) {
            // refused
        }
    }
}
