/* SPDX-License-Identifier: Apache-2.0 */
/** {@code paritas bench}: measures the coders on this machine, beside Hadoop's own. */
package io.paritas.cli.bench;
