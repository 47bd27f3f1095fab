/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import io.paritas.inference.screen.Difference;
import io.paritas.inference.screen.Ledger;
import io.paritas.inference.screen.Verdict;

/** A batch that an executor predicted wrongly. */
record Finding(String executor, Ledger.Entry entry, Verdict verdict, Difference difference) {}
