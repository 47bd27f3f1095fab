/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

/**
 * A request whose body is not read. It takes the request's place, so that it is answered in its turn, and its connection ends with
 * the answer: where the next request begins is not known.
 *
 * @param request its method and path, for the log
 * @param problem that its client is told
 */
record Refusal(String request, Problem problem) {}
