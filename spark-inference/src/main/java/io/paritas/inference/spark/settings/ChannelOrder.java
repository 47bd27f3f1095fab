/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.settings;

import io.paritas.PublicApi;

/** The order of the channels of a colour image. */
@PublicApi
public enum ChannelOrder {
    /** Red, green, blue. */
    RGB,
    /** Blue, green, red. */
    BGR
}
