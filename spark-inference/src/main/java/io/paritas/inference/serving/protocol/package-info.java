/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What is said of the Open Inference Protocol whatever carries it, HTTP or gRPC: tensors and their datatypes, the token, the queries of
 * a request, the log of requests, and the places for connections.
 */
package io.paritas.inference.serving.protocol;
