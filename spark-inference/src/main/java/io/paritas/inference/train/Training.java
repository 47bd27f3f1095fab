/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.train;

import io.paritas.PublicApi;
import io.paritas.inference.ModelFile;
import java.util.List;

/**
 * The result of a training.
 *
 * @param networks the networks of the best epoch
 * @param best the best epoch
 * @param epochs all epochs: the learning curve
 */
@PublicApi
public record Training(List<ModelFile> networks, Epoch best, List<Epoch> epochs) {}
