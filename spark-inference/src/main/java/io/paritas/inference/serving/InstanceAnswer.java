/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.PublicApi;
import java.util.function.Supplier;

/**
 * What an instance answered to a query, or to a parity query.
 *
 * @param by the instance
 * @param input makes the query that it got, which takes time for that of a parity; any thread may call it
 * @param values not copied
 */
@PublicApi
public record InstanceAnswer(Instance by, Supplier<float[]> input, float[] values) {}
