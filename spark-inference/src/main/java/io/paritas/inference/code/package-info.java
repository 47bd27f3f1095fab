/* SPDX-License-Identifier: Apache-2.0 */
/** Finds and reads the code of a model's predictions, whatever its kind: parity models or a learned code. */
package io.paritas.inference.code;
