/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Networks as ONNX graphs. A {@link io.paritas.inference.graph.Graph} is read from a file or made by a
 * {@link io.paritas.inference.graph.GraphBuilder}. Training and folding change its weights and sizes, never its operators.
 * "Thesis" is CMU-CS-23-110, as {@link io.paritas.inference} cites it.
 */
package io.paritas.inference.graph;
