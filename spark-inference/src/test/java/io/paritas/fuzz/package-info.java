/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Targets of Jazzer, one for each parser of files and requests; those of package-private parsers are beside them. A target has a static
 * method {@code fuzzerTestOneInput(byte[])}, which throws whatever a parser must not throw. The profile {@code fuzz} runs them
 * (docs/security.md), and each build runs them on the inputs in {@code src/test/fuzz}.
 */
package io.paritas.fuzz;
