/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import java.util.Optional;

/**
 * All that the time of a layer depends on.
 *
 * @param name for messages, as in {@code Conv 'conv1'}
 * @param rows of the batch
 * @param in a row of its input
 * @param window of a convolution; empty for a linear layer
 * @param shape of its products
 */
public record LayerGeometry(String name, int rows, Image in, Optional<Window> window, LayerShape shape) {}
