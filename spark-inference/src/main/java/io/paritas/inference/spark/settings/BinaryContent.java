/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.settings;

import io.paritas.PublicApi;

/** What a binary column holds. */
@PublicApi
public enum BinaryContent {
    /** Values of 4 bytes, little-endian. */
    FLOAT32,
    /** Values of one unsigned byte. */
    UINT8,
    /** An image file. */
    IMAGE
}
