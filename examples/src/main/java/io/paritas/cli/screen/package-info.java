/* SPDX-License-Identifier: Apache-2.0 */
/** {@code paritas screen}: exercises the processors of this machine, and shows what was found on executors. */
package io.paritas.cli.screen;
