/* SPDX-License-Identifier: Apache-2.0 */
/** {@code paritas serve}: coded prediction serving on this machine, with executors as processes. */
package io.paritas.examples.serve;
