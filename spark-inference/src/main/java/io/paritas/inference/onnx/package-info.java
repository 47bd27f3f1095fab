/* SPDX-License-Identifier: Apache-2.0 */
/**
 * ONNX Runtime as an engine: the default for ONNX models. Its native library is touched only when a model is loaded or its
 * availability asked for; on a class path without it, everything else of Paritas works.
 */
package io.paritas.inference.onnx;
