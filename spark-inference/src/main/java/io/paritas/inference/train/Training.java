/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.train;

import io.paritas.inference.ModelFile;
import java.util.List;

/**
 * What a training came to.
 *
 * @param networks the networks of the best epoch
 * @param best that epoch
 * @param epochs the learning curve
 */
public record Training(List<ModelFile> networks, Epoch best, List<Epoch> epochs) {}
