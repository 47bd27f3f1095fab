/* SPDX-License-Identifier: Apache-2.0 */
/** What command lines may say: {@link io.paritas.cli.usage.Usage}. */
package io.paritas.cli.usage;
