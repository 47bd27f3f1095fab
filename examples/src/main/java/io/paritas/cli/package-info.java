/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The program {@code bin/paritas}: {@link io.paritas.cli.Main} starts it, {@link io.paritas.cli.Paritas} lists its commands. The packages
 * below have a class for each of them.
 */
package io.paritas.cli;
