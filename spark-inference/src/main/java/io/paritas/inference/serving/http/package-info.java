/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The Open Inference Protocol (KServe v2) over HTTP, with its binary tensor data extension, on Netty, which Spark brings.
 * {@code Routes} is the table of paths and their handlers, {@code InferRequest} and {@code InferReply} are the bodies. An error
 * is a {@code Problem}, which is answered in the protocol's form.
 */
package io.paritas.inference.serving.http;
