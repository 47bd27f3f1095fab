/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What is said of the Open Inference Protocol whatever carries it, HTTP or gRPC: tensors and their datatypes, the token, the queries of
 * a request, and the log of requests.
 */
package io.paritas.inference.serving.protocol;
