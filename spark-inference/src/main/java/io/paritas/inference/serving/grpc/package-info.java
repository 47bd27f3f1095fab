/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The Open Inference Protocol (KServe v2) over gRPC, with Triton's stream. The messages and stubs are generated from
 * {@code src/main/protobuf/open_inference.proto}. gRPC runs on the Netty and the Guava that Spark brings;
 * Spark has no protobuf.
 */
package io.paritas.inference.serving.grpc;
