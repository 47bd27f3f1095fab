/* SPDX-License-Identifier: Apache-2.0 */
/** Files for the results of commands: {@link io.paritas.cli.result.ResultFile}. */
package io.paritas.cli.result;
