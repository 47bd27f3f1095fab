/* SPDX-License-Identifier: Apache-2.0 */
/** {@code paritas serve}: coded prediction serving by a cluster of processes on this machine. */
package io.paritas.cli.serve;
