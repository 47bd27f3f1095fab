/* SPDX-License-Identifier: Apache-2.0 */
/** The codes as the command line and the unit files name them. */
package io.paritas.examples.code;
