/* SPDX-License-Identifier: Apache-2.0 */
/** The program {@code bin/paritas}: {@link io.paritas.cli.Paritas} lists its commands, each a class in a package of its own. */
package io.paritas.cli;
