/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import io.paritas.inference.screen.Difference;
import io.paritas.inference.screen.Ledger;
import io.paritas.inference.screen.Verdict;
import java.util.List;

/**
 * A batch that an executor predicted wrongly.
 *
 * @param layers the layers that were wrong, if checks of layers found it
 */
record Finding(String executor, Ledger.Entry entry, Verdict verdict, Difference difference, List<String> layers) {}
