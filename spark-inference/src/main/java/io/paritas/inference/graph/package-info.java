/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Networks as ONNX graphs. A {@link io.paritas.inference.graph.Graph} is read from a user's file or made by
 * {@link io.paritas.inference.graph.GraphBuilder}; training and folding change its weights and sizes, never its operators.
 */
package io.paritas.inference.graph;
