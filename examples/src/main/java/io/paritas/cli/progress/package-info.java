/* SPDX-License-Identifier: Apache-2.0 */
/** Lines that show life while a command works: {@link io.paritas.cli.progress.Waiting}. */
package io.paritas.cli.progress;
