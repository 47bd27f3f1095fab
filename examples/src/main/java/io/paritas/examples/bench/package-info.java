/* SPDX-License-Identifier: Apache-2.0 */
/** {@code paritas bench}: how fast the coders are on this machine, beside Hadoop's own. */
package io.paritas.examples.bench;
