/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Traces of requests for predictions, as OpenTelemetry has them: {@link io.paritas.inference.serving.trace.Traces} makes spans and sends
 * them; a trace comes with a request and goes on in the instances (W3C Trace Context, {@code traceparent}).
 */
package io.paritas.inference.serving.trace;
