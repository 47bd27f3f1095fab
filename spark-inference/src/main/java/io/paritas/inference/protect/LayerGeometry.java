/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import java.util.Optional;

/**
 * The sizes that the time of a layer depends on.
 *
 * @param name name for messages, as in {@code Conv 'conv1'}
 * @param rows rows of the batch
 * @param in shape of a row of the input
 * @param window window of a convolution; empty for a linear layer
 * @param shape sizes of the layer's matrix products
 */
public record LayerGeometry(String name, int rows, ImageShape in, Optional<Window> window, LayerShape shape) {}
