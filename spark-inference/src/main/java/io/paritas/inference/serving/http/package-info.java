/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The Open Inference Protocol (KServe v2) over HTTP, with its binary tensor data extension, on Netty, which Spark brings:
 * {@code Routes} finds what a request asks for, {@code InferRequest} and {@code InferReply} are the bodies. Whatever is wrong
 * with a request is a {@code Problem}, and is answered in the protocol's form.
 */
package io.paritas.inference.serving.http;
