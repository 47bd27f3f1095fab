/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import io.paritas.inference.serving.protocol.RequestLog;

/**
 * A request whose body is not read. It takes the request's place, so that it is answered in its turn, and its connection ends with
 * the answer: where the next request begins is not known.
 *
 * @param log of the request
 * @param problem that its client is told
 */
record Refusal(RequestLog log, Problem problem) {}
