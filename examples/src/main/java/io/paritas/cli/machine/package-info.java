/* SPDX-License-Identifier: Apache-2.0 */
/** The machine that figures are measured on. */
package io.paritas.cli.machine;
