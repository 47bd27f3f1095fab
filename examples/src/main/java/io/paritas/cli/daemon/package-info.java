/* SPDX-License-Identifier: Apache-2.0 */
/** What the daemons of all clusters for demonstrations have in common. */
package io.paritas.cli.daemon;
