/* SPDX-License-Identifier: Apache-2.0 */
/** {@code paritas tune}: finds the fastest schedules of codes on this machine. */
package io.paritas.cli.tune;
