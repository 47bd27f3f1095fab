/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.settings;

import io.paritas.PublicApi;

/** The order of the values of an image. */
@PublicApi
public enum ImageLayout {
    /** One channel after the other, as models take them. */
    NCHW,
    /** One pixel after the other. */
    NHWC
}
