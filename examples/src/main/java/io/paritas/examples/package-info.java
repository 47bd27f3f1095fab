/* SPDX-License-Identifier: Apache-2.0 */
/** The program {@code bin/paritas}: one class per subcommand, {@link io.paritas.examples.Paritas} is the list of them. */
package io.paritas.examples;
