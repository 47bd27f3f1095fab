/* SPDX-License-Identifier: Apache-2.0 */
/** Examples to copy: one short, complete program a file. {@code examples/README.md} lists them and says how to run each. */
package io.paritas.examples;
